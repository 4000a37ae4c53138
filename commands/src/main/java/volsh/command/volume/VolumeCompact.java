package volsh.command.volume;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.unit.Rate;
import volsh.upkeep.Watcher;
import volsh.vfs.PackingReport;
import volsh.vfs.PackingRules;
import volsh.vfs.Vfs;
import volsh.volume.Volume;
import volsh.volume.Volumes;

@Command(name = "compact", description = {
        "Store small files together, and merge fragmented extents and mostly empty objects that small blocks share.",
        "Small files (up to a quarter of a block) that were written one by one, through a mount for instance, cost one"
                + " get each; stored together in directory order, reading a directory costs few. With a path, only the"
                + " small files at and below it are stored together. Blocks that clones, checkpoints or views share"
                + " stay as they are.",
        "The volume may be in use; after an interruption, run it again to continue. Rewritten data takes space until"
                + " 'deleted' blocks are reclaimed. Mounts do the same in the background, unless the volume is set to"
                + " compact=manual."})
@Examples({"volsh volume compact training-data", "volsh volume compact training-data:/dataset",
        "volsh volume compact training-data -n",
        "volsh volume compact training-data --limit 100MB/s --extents 8"})
final class VolumeCompact implements Mutation<Rows<VolumeCompact.Done>> {
    @Parameters(paramLabel = "VOLUME[:PATH]", description = "Volume to compact, or a directory of it.")
    private String place;

    @Option(names = "--limit", paramLabel = "RATE", description = "Limit the write rate, such as 100MB/s.")
    private Optional<Rate> limit = Optional.empty();

    @Option(names = "--extents", paramLabel = "N", defaultValue = "4",
            description =
                    "Merge where 4 MiB have at least this many adjacent extents (default: ${DEFAULT-VALUE}).")
    private int extents;

    /** The result; {@code gets} are what reading the small files in order takes from a cold cache. */
    record Done(String name, long parts, long blocks, ByteSize bytes, ByteSize freed, PackingReport small) {}

    private static final Columns<Done> COLUMNS = Columns.of(Done.class)
            .text("name", Done::name)
            .number("parts", Done::parts)
            .number("blocks", Done::blocks)
            .bytes("bytes", Done::bytes)
            .bytes("freed", Done::freed)
            .number("smallFiles", row -> row.small().files())
            .number("packedFiles", row -> row.small().packed())
            .bytes("packed", row -> new ByteSize(row.small().bytes()))
            .number("smallBlocksBefore", row -> row.small().before().blocks())
            .number("smallBlocksAfter", row -> row.small().after().blocks())
            .number("getsPer1000Before", row -> per1000(row.small().before(), row.small()))
            .number("getsPer1000After", row -> per1000(row.small().after(), row.small()))
            .bytes("keptBySnapshots", row -> new ByteSize(row.small().keptBytes()))
            .number("sharedFiles", row -> row.small().shared())
            .number("damagedFiles", row -> row.small().damaged());

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private static long per1000(PackingReport.Cost cost, PackingReport small) {
        return small.files() == 0 ? 0 : Math.ceilDiv(cost.gets() * 1000, small.files());
    }

    private VolumePath where() {
        if (extents < 1) {
            throw CommandFailure.usage("--extents must be at least 1");
        }
        return place.contains(":") ? VolumePath.of(place).present() : new VolumePath(place, "/");
    }

    private boolean isWhole() {
        return !place.contains(":");
    }

    private static long find(Volume volume, VolumePath path) throws IOException {
        try {
            return volume.paths().resolve(path.path()).ino();
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_ENTRY) {
                throw CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", path + ": no such file or directory")
                        .hint("volsh ls " + path.volume() + ":/");
            }
            throw refused;
        }
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var path = where();
        try (var open = session.service(Volumes.class).open(path.volume(), Access.READ, "compact");
                var watcher = new UpkeepProgress(session)) {
            watcher.phase("small files", -1);
            var small = open.pack(isWhole() ? Vfs.ROOT : find(open, path), PackingRules.NOW.dryRun(), bytes -> {},
                    watcher);
            var plan = small.packed() == 0 ? Plan.NOTHING : Plan.of("store together", smallFiles(small), gain(small));
            return !isWhole() ? plan : plan.then("merge", "extents of " + VolumeViews.quoted(path.volume()),
                    "parts with %d or more adjacent extents".formatted(extents));
        }
    }

    private static String smallFiles(PackingReport small) {
        return "%s (%s)".formatted(Count.of(small.packed(), "small file"), new ByteSize(small.bytes()));
    }

    private static String gain(PackingReport small) {
        return "%s in place of %,d; about %,d gets per 1,000 files in place of %,d".formatted(
                Count.of(small.after().blocks(), "block"), small.before().blocks(), per1000(small.after(), small),
                per1000(small.before(), small));
    }

    @Override
    public Rows<Done> run(Session session) throws Exception {
        var path = where();
        try (var open = session.service(Volumes.class).open(path.volume(), Access.WRITE, "compact");
                var watcher = new UpkeepProgress(session)) {
            long root = isWhole() ? Vfs.ROOT : find(open, path);
            var pace = pace();
            watcher.phase("small files", -1);
            var small = open.pack(root, PackingRules.NOW, pace, watcher);
            tell(session, small);
            var done = isWhole() ? all(session, open, pace, watcher)
                    : new Done(path.volume(), 0, 0, new ByteSize(0), new ByteSize(0), small);
            return Rows.one(COLUMNS, new Done(done.name(), done.parts(), done.blocks(), done.bytes(), done.freed(),
                    small)).told();
        }
    }

    /** Merges extents, then shared objects, of the whole volume. */
    private Done all(Session session, Volume open, Volume.Pace pace, Watcher watcher) throws IOException {
        watcher.phase("extents", -1);
        var done = open.compact(extents, pace, watcher);
        var packs = open.packCompaction().run(session.cancellation()::requested);
        if (packs.sparse() > 0) {
            session.say("freed %s in %d shared objects".formatted(new ByteSize(packs.freed()), packs.sparse()));
        }
        session.say(done.blocks() == 0 ? "nothing to merge in " + VolumeViews.quoted(place)
                : "merged %s of %d parts into %d blocks".formatted(new ByteSize(done.bytes()), done.parts(),
                        done.blocks()));
        return new Done(place, done.parts(), done.blocks(), new ByteSize(done.bytes()), new ByteSize(packs.freed()),
                PackingReport.NOTHING);
    }

    private static void tell(Session session, PackingReport small) {
        session.say(small.packed() == 0 ? "small files: %s in %s, nothing to store together".formatted(
                Count.of(small.files(), "file"), Count.of(small.before().blocks(), "block"))
                : "stored %s together: %s".formatted(smallFiles(small), gain(small)));
        if (small.keptBytes() > 0) {
            session.say("%s stay in the old blocks as well, for snapshots".formatted(
                    new ByteSize(small.keptBytes())));
        }
        if (small.shared() > 0) {
            session.say("%s stay as they are: clones, checkpoints or views share their blocks".formatted(
                    Count.of(small.shared(), "small file")));
        }
        if (small.damaged() > 0) {
            session.warn("%s cannot be read and stay as they are".formatted(Count.of(small.damaged(), "small file")));
        }
    }

    /** Sleeps as long as the rate limit requires for the bytes stored so far. */
    private Volume.Pace pace() {
        long start = System.nanoTime();
        long[] stored = new long[1];
        return bytes -> {
            stored[0] += bytes;
            if (limit.isPresent()) {
                long due = (long) (stored[0] * 1e9 / limit.get().bytesPerSecond());
                long wait = (due - (System.nanoTime() - start)) / 1_000_000;
                if (wait > 0) {
                    try {
                        Thread.sleep(wait);
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                        throw new InterruptedIOException("stopped");
                    }
                }
            }
        };
    }
}
