package volsh.command.volume;

import java.io.IOException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.care.Garbage;
import volsh.catalog.HistorySpan;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.unit.Span;
import volsh.volume.Volumes;

@Command(name = "gc", description = {"Find unreachable data, and with --delete reclaim it.",
        "Unreachable are versions that no snapshot, retention or current reader needs, blocks that only such versions"
                + " name, objects in the store that were uploaded and never named, and unfinished uploads of killed"
                + " processes. The volume may be in use. After an interruption, run it again to continue."})
@Examples({"volsh volume gc training-data", "volsh volume gc training-data --delete",
        "volsh volume gc training-data --delete --age 1h"})
final class VolumeGc implements Mutation<Rows<VolumeGc.Collected>> {
    private static final int NAMED_MAX = 5;

    @Parameters(paramLabel = "VOLUME", description = "Volume to collect.")
    private String name;

    @Option(names = "--delete", description = "Delete the data, instead of only counting it.")
    private boolean delete;

    @Option(names = "--age", paramLabel = "TIME", defaultValue = "24h",
            description = "Delete unnamed objects only if older than this (default: ${DEFAULT-VALUE}).")
    private Span age;

    @Option(names = "--trust-clock",
            description = "Continue even if the clock of this machine seems to have jumped since the last change.")
    private boolean trustClock;

    /** The data that was found or deleted. */
    record Collected(String volume, boolean deleted, Garbage garbage) {}

    private static final Columns<Collected> COLUMNS = Columns.of(Collected.class)
            .text("volume", Collected::volume)
            .text("deleted", Collected::deleted)
            .number("versions", row -> row.garbage().versions())
            .number("blocks", row -> row.garbage().blocks())
            .bytes("freed", row -> row.garbage().bytes())
            .number("objects", row -> row.garbage().objects())
            .bytes("objectsFreed", row -> row.garbage().objectBytes())
            .number("spared", row -> row.garbage().spared())
            .number("cutOff", row -> row.garbage().cutOff().puts())
            .bytes("cutOffFreed", row -> row.garbage().cutOff().bytes())
            .number("left", row -> row.garbage().left().removed().blocks())
            .bytes("leftSize", row -> row.garbage().left().removed().bytes());

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var found = session.service(Volumes.class).upkeep()
                .checkCollect(name, age.duration(), trustClock, Garbage.Watcher.NONE);
        return !delete || found.count() == 0 ? Plan.NOTHING
                : Plan.of("delete", "unreachable data of " + VolumeViews.quoted(name), words(found));
    }

    @Override
    public Guard guard(Session session) {
        return Guard.NONE;
    }

    @Override
    public Rows<Collected> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        try (var watcher = new Watcher(session, session.service(Mounts.class))) {
            var garbage = delete ? volumes.upkeep().collect(name, age.duration(), trustClock, watcher)
                    : volumes.upkeep().checkCollect(name, age.duration(), trustClock, watcher);
            session.cancellation().check();
            session.say("%s: %s".formatted(delete ? "deleted" : "unreachable (--delete deletes it)", words(garbage)));
            for (var line : left(garbage)) {
                session.say(line);
            }
            return Rows.one(COLUMNS, new Collected(name, delete, garbage));
        }
    }

    private static String words(Garbage garbage) {
        return "%d old versions, %d blocks (%s), %d unnamed objects (%s), %d unfinished puts of killed processes (%s)"
                .formatted(garbage.versions(), garbage.blocks(), new ByteSize(garbage.bytes()),
                        garbage.objects(), new ByteSize(garbage.objectBytes()), garbage.cutOff().puts(),
                        new ByteSize(garbage.cutOff().bytes()));
    }

    /** Lines that say what stays for now, why, and until when. */
    private static List<String> left(Garbage garbage) {
        var left = garbage.left();
        var lines = new ArrayList<String>();
        if (left.removed().blocks() > 0) {
            var holders = left.holders().stream().limit(NAMED_MAX).map(VolumeGc::holder).toList();
            int others = left.holders().size() - holders.size();
            lines.add("kept for now: %s (%s) of removed files, %s".formatted(Count.of(left.removed().blocks(), "block"),
                    new ByteSize(left.removed().bytes()), holders.isEmpty() ? "which are free now: run this again"
                            : "open in %s%s; reclaimed within a minute after the last of these closes them".formatted(
                                    String.join(", ", holders), others > 0 ? " and %d more".formatted(others) : "")));
        }
        if (left.young() > 0) {
            lines.add("kept for now: %s without a name, younger than --age, the last of them until %s".formatted(
                    Count.of(left.young(), "object"), left.youngUntil().orElseThrow().truncatedTo(ChronoUnit.SECONDS)));
        }
        left.kept()
                .ifPresent(kept -> lines.add("kept: history, %s (retention of the volume); 'volsh undelete' restores it"
                .formatted(kept.equals(HistorySpan.FOREVER) ? "for ever" : "for " + kept)));
        return lines;
    }

    private static String holder(volsh.meta.Session session) {
        return "'%s' (process %d on %s)".formatted(session.purpose(), session.pid(), session.host());
    }

    private final class Watcher implements Garbage.Watcher, AutoCloseable {
        private final Session session;
        private final Mounts mounts;
        private final Progress progress;

        Watcher(Session session, Mounts mounts) {
            this.session = session;
            this.mounts = mounts;
            this.progress = session.progressOfItems("gc", -1);
        }

        @Override
        public void looked(long things) {
            progress.add(things);
        }

        @Override
        public void release() {
            try {
                mounts.release(name);
            } catch (IOException unknown) {
                session.warn("cannot list the mounts: " + unknown.getMessage());
            }
        }

        @Override
        public boolean cancelled() {
            return session.cancellation().requested();
        }

        @Override
        public void close() {
            progress.close();
        }
    }
}
