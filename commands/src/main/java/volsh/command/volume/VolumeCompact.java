package volsh.command.volume;

import java.io.InterruptedIOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.volume.Volume;
import volsh.volume.Volumes;

@Command(name = "compact", description = {
        "Merge fragmented extents of files, and mostly empty objects that small blocks share.",
        "Makes reads faster and metadata smaller. The volume may be in use; after an interruption, run it again to"
                + " continue. Rewritten data takes space until 'deleted' blocks are reclaimed."})
@Examples({"volsh volume compact training-data", "volsh volume compact training-data --limit 100MB/s --extents 8"})
final class VolumeCompact implements Mutation<Rows<VolumeCompact.Done>> {
    @Parameters(paramLabel = "VOLUME", description = "Volume to compact.")
    private String name;

    @Option(names = "--limit", paramLabel = "RATE", description = "Limit the write rate, such as 100MB/s.")
    private Optional<Rate> limit = Optional.empty();

    @Option(names = "--extents", paramLabel = "N", defaultValue = "4",
            description =
                    "Merge where 4 MiB have at least this many adjacent extents (default: ${DEFAULT-VALUE}).")
    private int extents;

    /** The result. */
    record Done(String name, long parts, long blocks, ByteSize bytes, ByteSize freed) {}

    @Override
    public Columns<?> columns() {
        return Columns.derived(Done.class);
    }

    private void requireSense() {
        if (extents < 1) {
            throw CommandFailure.usage("--extents must be at least 1");
        }
    }

    @Override
    public Plan plan(Session session) throws Exception {
        requireSense();
        session.service(Volumes.class).find(name);
        return Plan.of("compact", VolumeViews.quoted(name),
                "parts with %d or more adjacent extents".formatted(extents));
    }

    @Override
    public Rows<Done> run(Session session) throws Exception {
        requireSense();
        try (var open = session.service(Volumes.class).open(name, Access.WRITE, "compact");
                var watcher = new UpkeepProgress(session)) {
            watcher.phase("extents", -1);
            var done = open.compact(extents, pace(), watcher);
            var packs = open.packCompaction().run(session.cancellation()::requested);
            if (packs.sparse() > 0) {
                session.say("freed %s in %d shared objects".formatted(new ByteSize(packs.freed()), packs.sparse()));
            }
            session.say(done.blocks() == 0 ? "nothing to merge in " + VolumeViews.quoted(name)
                    : "merged %s of %d parts into %d blocks".formatted(new ByteSize(done.bytes()), done.parts(),
                            done.blocks()));
            return Rows.one(Columns.derived(Done.class), new Done(name, done.parts(), done.blocks(),
                    new ByteSize(done.bytes()), new ByteSize(packs.freed()))).told();
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
