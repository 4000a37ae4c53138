package volsh.command.sync;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Guard;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.file.AtOption;
import volsh.command.file.Trouble;
import volsh.command.file.Watch;
import volsh.command.object.OpenPlaces;
import volsh.command.object.PlaceFlags;
import volsh.command.object.StoredVolumes;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.sync.SyncSettings;
import volsh.sync.TreeSync;
import volsh.transfer.Observer;
import volsh.tree.FileTree;
import volsh.tree.Places;
import volsh.unit.ByteSize;
import volsh.unit.Count;

/** Makes one place the same as another. */
final class SyncRun {
    /** More changes are counted in a plan, not named. */
    private static final int NAMED_MAX = 10_000;

    private final String source;
    private final String target;
    private final SyncSettings settings;
    private final PlaceFlags flags;
    private final AtOption at;

    SyncRun(String source, String target, SyncSettings settings, PlaceFlags flags, AtOption at) {
        this.source = source;
        this.target = target;
        this.settings = settings;
        this.flags = flags;
        this.at = at;
    }

    private OpenPlaces open(Session session, Access access, String verb) throws Exception {
        if (!Places.isUrl(source) && !Places.isUrl(target)) {
            flags.requireNone();
        }
        return new OpenPlaces(session, access, verb, flags, at);
    }

    private FileTree source(OpenPlaces places) throws IOException {
        var tree = places.tree(places.place(source));
        if (!OpenPlaces.top(tree).isDirectory()) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0020", source + ": is not a directory")
                    .hint("volsh cp %s %s".formatted(ShellWord.of(source), ShellWord.of(target)));
        }
        return tree;
    }

    private FileTree target(OpenPlaces places, FileTree from) throws IOException {
        var tree = places.tree(places.target(target));
        var there = tree.find("");
        if (there.isPresent() && !there.get().isDirectory()) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0020", target + ": is not a directory");
        }
        String one = bare(from);
        String other = bare(tree);
        if (one.equals(other) || other.startsWith(one + "/") || one.startsWith(other + "/")) {
            throw CommandFailure.usage(one.equals(other) ? "source and target are the same place: " + source
                    : "one of %s and %s is within the other".formatted(source, target));
        }
        return tree;
    }

    private static String bare(FileTree tree) {
        return tree.name("").replaceAll("/+$", "");
    }

    /** An empty source would empty the target: that is more often a mistake. */
    private void requireSome(FileTree from, FileTree to) throws IOException {
        if (settings.delete() && from.children("").next() == null && to.find("").isPresent()
                && to.children("").next() != null) {
            throw CommandFailure.of(ExitCode.CONFLICT, "FS-0030",
                    "%s is empty: --delete would remove everything in %s".formatted(source, target))
                    .hint("volsh rm -r --dry-run " + ShellWord.of(target));
        }
    }

    Plan plan(Session session, String verb) throws Exception {
        try (var places = open(session, Access.NAMES, verb)) {
            var from = source(places);
            var to = target(places, from);
            requireSome(from, to);
            var named = new ArrayList<Plan.Change>();
            var counts = new long[2];
            var unseen = new Observer() {
                @Override
                public boolean cancelled() {
                    return session.cancellation().requested();
                }
            };
            new TreeSync(from, to, settings, unseen).plan(step -> {
                if (named.size() < NAMED_MAX) {
                    named.add(change(step, to));
                } else {
                    counts[0]++;
                    counts[1] += step instanceof TreeSync.Step.Copy(var file, _) ? file.size() : 0;
                }
            });
            if (counts[0] > 0) {
                named.add(new Plan.Change("change", Count.of(counts[0], "more file"),
                        new ByteSize(counts[1]) + " to copy"));
            }
            return stored(places).plan(new Plan(named, ExitCode.OK));
        }
    }

    Guard guard(Session session) throws Exception {
        try (var places = open(session, Access.NAMES, "sync")) {
            return stored(places).guard(Guard.NONE);
        }
    }

    /** The volumes whose data would be changed, or removed. */
    private StoredVolumes stored(OpenPlaces places) throws IOException {
        var stored = new StoredVolumes(places);
        return settings.delete() ? stored.removing(places.target(target))
                : stored.writing(places.target(target));
    }

    private static Plan.Change change(TreeSync.Step step, FileTree to) {
        return switch (step) {
            case TreeSync.Step.Copy(var file, var over) -> new Plan.Change(over ? "replace" : "copy",
                    to.name(file.path()), new ByteSize(file.size()).toString());
            case TreeSync.Step.Remove(var entry) -> new Plan.Change("remove", to.name(entry.path()), "");
        };
    }

    @Nullable Outcome<Rows<Synced>> run(Session session, String verb, String options) throws Exception {
        var began = session.clock().instant();
        boolean writes = VolumePath.isOne(target) && !Places.isUrl(target);
        try (var places = open(session, writes ? Access.WRITE : Access.READ, verb);
                var watch = Watch.showing(session, verb)) {
            var from = source(places);
            var to = target(places, from);
            requireSome(from, to);
            try {
                var summary = new TreeSync(from, to, settings, watch).run();
                var synced = new Synced(summary, Duration.between(began, session.clock().instant()));
                if (watch.alone().isPresent()) {
                    throw watch.alone().get().exception();
                }
                session.say(synced.text());
                return new Outcome<>(Rows.one(Synced.COLUMNS, synced).told(),
                        summary.copied().failed() == 0 ? ExitCode.OK : watch.failure());
            } catch (Exception failed) {
                String all = options + flags.words() + at.words();
                throw watch.stopped(failed, verb, "volsh %s%s %s %s".formatted(verb, all, ShellWord.of(source),
                        ShellWord.of(target)));
            }
        } catch (IOException failed) {
            throw Trouble.with(target, failed);
        }
    }
}
