package volsh.command.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.RelativePaths;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.file.OpenVolumes.Place;
import volsh.command.object.EntryRemoval;
import volsh.command.object.OpenPlaces;
import volsh.command.object.PlaceFlags;
import volsh.command.object.StoredVolumes;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.ShellWord;
import volsh.transfer.Observer;
import volsh.transfer.Removing;
import volsh.transfer.Summary;
import volsh.transfer.Survey;
import volsh.tree.Places;
import volsh.unit.ByteSize;
import volsh.unit.Count;

@Command(name = "rm", description = {
        "Remove files, with -r also directories with their contents, in volumes, buckets and locally.",
        "Removing a tree asks first; without a terminal, -y is required. Removes links, not their targets."})
@Examples({"volsh rm training-data:/dataset/a.tar", "volsh rm -r training-data:/dataset/images --dry-run",
        "volsh rm -r -y training-data:/dataset", "volsh rm -r s3://training/tmp/ --dry-run"})
final class Rm implements Mutation<Rows<Rm.Removed>>, RelativePaths {
    private static final int COUNTED_MAX = 100_000;

    @Parameters(paramLabel = "VOL:/PATH", arity = "1..*", description = "Files to remove.")
    private List<String> places;

    @Option(names = {"-r", "--recursive"}, description = "Remove directories with their contents.")
    private boolean recursive;

    @Option(names = {"-f", "--force"}, description = "Ignore nonexistent files.")
    private boolean force;

    @Mixin
    private PlaceFlags s3;

    /** The result. */
    record Removed(String path, Summary summary) {}

    private static final Columns<Removed> COLUMNS = Columns.of(Removed.class)
            .text("path", Removed::path)
            .number("files", removed -> removed.summary().files())
            .number("directories", removed -> removed.summary().directories())
            .bytes("size", removed -> removed.summary().bytes());

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    /** As other systems' rm: a slip of the finger must not remove where one stands. */
    @Override
    public boolean takesDots() {
        return false;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        if (OpenPlaces.areMeant(places, s3)) {
            try (var open = open(session, Access.NAMES)) {
                for (var removal : elsewhere(open)) {
                    plan = plan.then("remove", removal.name(), removal.extent());
                }
                return stored(open).plan(plan);
            }
        }
        try (var volumes = new OpenVolumes(session, Access.NAMES, "rm")) {
            for (var place : find(volumes)) {
                plan = plan.then("remove", place.toString(), extent(place));
            }
        }
        return plan;
    }

    private static String extent(Place place) throws IOException {
        var files = new int[1];
        var survey = new Survey(() -> ++files[0] >= COUNTED_MAX);
        survey.add(place.volume().vfs(), place.found().orElseThrow());
        var bytes = new ByteSize(survey.bytes()).toString();
        boolean tree = place.found().orElseThrow().isDirectory();
        return (survey.isComplete() ? "" : "more than ") + (tree ? Count.of(survey.files(), "file") + ", " : "")
                + bytes;
    }

    @Override
    public Guard guard(Session session) throws Exception {
        if (OpenPlaces.areMeant(places, s3)) {
            try (var open = open(session, Access.NAMES)) {
                return stored(open).guard(recursive ? asking(elsewhere(open).stream().filter(EntryRemoval::isTree)
                        .map(EntryRemoval::name).toList()) : Guard.NONE);
            }
        }
        if (!recursive) {
            return Guard.NONE;
        }
        try (var volumes = new OpenVolumes(session, Access.NAMES, "rm")) {
            var trees = find(volumes).stream().filter(place -> place.found().orElseThrow().isDirectory())
                    .map(Place::toString).toList();
            return asking(trees);
        }
    }

    /** The volumes whose data would be removed. */
    private StoredVolumes stored(OpenPlaces open) throws IOException {
        var stored = new StoredVolumes(open);
        for (String word : places) {
            if (recursive) {
                stored.removing(open.place(word));
            } else {
                stored.writing(open.place(word));
            }
        }
        return stored;
    }

    private static Guard asking(List<String> trees) {
        return trees.isEmpty() ? Guard.NONE
                : new Guard.Ask("remove " + String.join(", ", trees) + " and everything below?");
    }

    private OpenPlaces open(Session session, Access access) throws Exception {
        return new OpenPlaces(session, access, "rm", s3, new AtOption());
    }

    private List<EntryRemoval> elsewhere(OpenPlaces open) throws IOException {
        var found = new ArrayList<EntryRemoval>();
        for (String word : places) {
            if (VolumePath.isOne(word) && !Places.isUrl(word)) {
                OpenVolumes.requireNow(VolumePath.of(word));
            }
            var tree = open.tree(open.place(word));
            var top = tree.find("");
            if (top.isPresent()) {
                found.add(new EntryRemoval(tree, top.get(), recursive));
            } else if (!force) {
                OpenPlaces.top(tree);
            }
        }
        return found;
    }

    private Rows<Removed> removeElsewhere(Session session) throws Exception {
        var removed = new ArrayList<Removed>();
        try (var open = open(session, Access.WRITE); var watch = Watch.counting(session, "rm")) {
            for (var removal : elsewhere(open)) {
                try {
                    var summary = removal.run(watch);
                    session.detail("removed " + removal.name() + " (" + Count.of(summary.files(), "file") + ")");
                    removed.add(new Removed(removal.name(), summary));
                } catch (IOException failed) {
                    throw watch.stopped(Trouble.with(removal.name(), failed), "rm", again());
                }
            }
        }
        return Rows.of(COLUMNS, removed).told();
    }

    @Override
    public Rows<Removed> run(Session session) throws Exception {
        if (OpenPlaces.areMeant(places, s3)) {
            return removeElsewhere(session);
        }
        var removed = new ArrayList<Removed>();
        try (var volumes = new OpenVolumes(session, Access.WRITE, "rm")) {
            var found = find(volumes);
            try (var watch = Watch.counting(session, "rm").foreseeing(survey -> {
                for (var place : found) {
                    survey.add(place.volume().vfs(), place.found().orElseThrow());
                }
            })) {
                for (var place : found) {
                    try {
                        removed.add(remove(session, place, watch));
                    } catch (Exception failed) {
                        throw watch.stopped(failed, "rm", again());
                    }
                }
            }
            volumes.sync();
        }
        return Rows.of(COLUMNS, removed).told();
    }

    private String again() {
        return "volsh rm%s -f %s".formatted(recursive ? " -r" : "", ShellWord.of(places));
    }

    private static Removed remove(Session session, Place place, Observer observer) throws Exception {
        var removing = new Removing(place.volume().vfs(), observer);
        try {
            removing.tree(place.place().directory(), place.place().name(), place.found().orElseThrow());
        } catch (IOException failed) {
            throw Trouble.with(place.toString(), failed);
        }
        var summary = removing.summary();
        session.detail("removed " + place + " (" + Count.of(summary.files(), "file") + ")");
        return new Removed(place.toString(), summary);
    }

    private List<Place> find(OpenVolumes volumes) throws IOException {
        var found = new ArrayList<Place>();
        for (String word : places) {
            var place = place(volumes, VolumePath.of(word));
            if (place != null && place.found().isPresent()) {
                requireRemovable(place);
                found.add(place);
            } else if (!force) {
                throw new FsException(FsError.NO_ENTRY,
                        word + ": " + FsError.NO_ENTRY.text() + PathText.spelling(word));
            }
        }
        return found;
    }

    /** Null if its directory does not exist either. */
    private static @Nullable Place place(OpenVolumes volumes, VolumePath path) throws IOException {
        OpenVolumes.requireNow(path);
        try {
            return volumes.place(path);
        } catch (CommandFailure noDirectory) {
            return null;
        }
    }

    private void requireRemovable(Place place) {
        if (!recursive && place.found().orElseThrow().isDirectory()) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0021", place + ": is a directory")
                    .hint("what -r would remove: volsh rm -r --dry-run " + ShellWord.of(place));
        }
    }
}
