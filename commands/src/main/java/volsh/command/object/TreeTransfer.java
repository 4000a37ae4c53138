package volsh.command.object;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
import volsh.command.file.Moved;
import volsh.command.file.Transfer;
import volsh.command.file.TransferOptions;
import volsh.command.file.Watch;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.transfer.Summary;
import volsh.tree.CopySettings;
import volsh.tree.FileTree;
import volsh.tree.Place;
import volsh.tree.Places;
import volsh.tree.TreeCopying;
import volsh.tree.TreeEntry;
import volsh.unit.ByteSize;
import volsh.unit.Count;

/**
 * Copies or moves files between any two places, of which one at least is in a bucket. The target is by the rules of cp:
 * a directory receives copies under their own names. A key that is empty, or ends with a slash, is a directory.
 */
public final class TreeTransfer implements Transfer {
    private static final String STREAM = "-";

    private final List<String> sources;
    private final String target;
    private final TransferOptions options;
    private final PlaceFlags flags;
    private final AtOption at;
    private final boolean moves;

    /** {@code words} are the sources, then the target. */
    public TreeTransfer(List<String> words, TransferOptions options, PlaceFlags flags, AtOption at, boolean moves) {
        this.sources = words.subList(0, words.size() - 1);
        this.target = words.getLast();
        this.options = options;
        this.flags = flags;
        this.at = at;
        this.moves = moves;
        options.settings();     // fails before anything is copied
        if (sources.isEmpty()) {
            throw CommandFailure.usage("missing target: give one or more sources, then the target");
        }
        if (sources.contains(STREAM) && sources.size() > 1) {
            throw CommandFailure.usage("'-' (standard input) must be the only source");
        }
    }

    /** Whether one of the words is a URL, so that this copies; without one, the flags of buckets are refused. */
    public static boolean isMeant(List<String> words, PlaceFlags flags) {
        boolean any = words.stream().anyMatch(Places::isUrl);
        if (!any) {
            flags.requireNone();
        }
        return any;
    }

    /** A source: its tree, what is there, and the name of its copy; empty if it stands for its contents. */
    private record Source(FileTree tree, TreeEntry entry, String name) {}

    /** The target: {@code into} if it is a directory. */
    private record Target(FileTree tree, boolean into) {
        String path(Source source) {
            return into ? source.name() : "";
        }

        String shown(Source source) {
            return tree.name(path(source));
        }
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var places = new OpenPlaces(session, Access.NAMES, verb(), flags, at)) {
            if (sources.contains(STREAM)) {
                return Plan.of("copy", "standard input to " + target, "");
            }
            var found = find(places);
            if (target.equals(STREAM)) {
                return Plan.of("copy", found.getFirst().tree().name("") + " to standard output", "");
            }
            var to = target(places);
            var plan = Plan.NOTHING;
            for (var source : found) {
                refuseItself(source, to);
                plan = plan.then(moves ? "move" : "copy", source.tree().name("") + " to " + to.shown(source),
                        extent(source));
            }
            return stored(places).plan(plan);
        }
    }

    @Override
    public Guard guard(Session session) throws Exception {
        try (var places = new OpenPlaces(session, Access.NAMES, verb(), flags, at)) {
            return stored(places).guard(Guard.NONE);
        }
    }

    /** The volumes whose data would be changed. */
    private StoredVolumes stored(OpenPlaces places) throws IOException {
        var stored = new StoredVolumes(places);
        if (!target.equals(STREAM)) {
            stored.writing(places.target(target));
        }
        for (String source : moves ? sources : List.<String>of()) {
            stored.removing(places.place(source));
        }
        return stored;
    }

    private static String extent(Source source) throws IOException {
        long files = source.entry().isDirectory() ? 0 : 1;
        long bytes = source.entry().size();
        if (source.entry().isDirectory()) {
            bytes = 0;
            var cursor = source.tree().below("");
            for (var entry = cursor.next(); entry != null; entry = cursor.next()) {
                files += entry.isDirectory() ? 0 : 1;
                bytes += entry.isDirectory() ? 0 : entry.size();
            }
        }
        return Count.of(files, "file") + ", " + new ByteSize(bytes);
    }

    private String verb() {
        return moves ? "mv" : "cp";
    }

    @Override
    public @Nullable Outcome<Rows<Moved>> run(Session session, String verb) throws Exception {
        var began = session.clock().instant();
        try (var places = new OpenPlaces(session, writes() ? Access.WRITE : Access.READ, verb, flags, at)) {
            if (target.equals(STREAM)) {
                for (var source : find(places)) {
                    EntryOutput.print(session, source.tree(), Optional.empty());
                }
                return null;
            }
            try (var watch = Watch.showing(session, verb)) {
                if (sources.contains(STREAM)) {
                    return Moved.report(session, verb, began, stream(places, session.in()), watch);
                }
                var found = find(places);
                var to = target(places);
                for (var source : found) {
                    refuseItself(source, to);
                }
                foresee(found, watch);
                try {
                    return Moved.report(session, verb, began, copy(found, to, watch), watch);
                } catch (Exception failed) {
                    throw watch.stopped(failed, verb, again(verb, found, to));
                }
            }
        }
    }

    private boolean writes() {
        return moves || VolumePath.isOne(target) && !Places.isUrl(target);
    }

    private String again(String verb, List<Source> found, Target to) {
        boolean contents = !to.into() && found.getFirst().entry().isDirectory();
        var words = new ArrayList<String>();
        sources.forEach(source -> words.add(contents && !source.endsWith("/.") ? source.replaceAll("/+$", "") + "/."
                : source));
        words.add(target);
        return options.again(verb, words) + flags.words() + at.words();
    }

    private static void foresee(List<Source> found, Watch watch) {
        long bytes = 0;
        for (var source : found) {
            if (source.entry().isDirectory()) {
                return;
            }
            bytes += source.entry().size();
        }
        watch.foreseen(found.size(), bytes);
    }

    private List<Source> find(OpenPlaces places) throws IOException {
        var found = new ArrayList<Source>();
        for (String word : sources) {
            boolean contents = word.endsWith("/.") || word.equals(".");
            var place = places.place(contents && Places.isUrl(word)
                    ? word.substring(0, word.length() - 1) : word);
            var tree = places.tree(real(place));
            var entry = OpenPlaces.top(tree);
            if (entry.isDirectory()) {
                if (target.equals(STREAM)) {
                    throw CommandFailure.of(ExitCode.FAILED, "FS-0021",
                            word + ": is a directory; standard output accepts only files");
                }
                options.requireRecursive(word);
            }
            found.add(new Source(tree, entry, contents ? "" : name(place)));
        }
        return found;
    }

    /** A link that is named is followed, except where trees are copied, in which links stay links. */
    private Place real(Place place) throws IOException {
        return place instanceof Place.Local local && Files.isSymbolicLink(local.path()) && !options.recursive()
                ? new Place.Local(local.path().toRealPath(), false) : place;
    }

    private static String name(Place place) {
        String path = switch (place) {
            case Place.Local local -> local.path().toAbsolutePath().normalize().toString();
            case Place.InVolume(var inside) -> inside.path();
            case Place.InBucket object -> object.key();
        };
        String bare = path.replaceAll("/+$", "");
        String name = bare.substring(bare.lastIndexOf('/') + 1);
        return name.equals(".") || name.equals("..") ? "" : name;
    }

    private Target target(OpenPlaces places) throws IOException {
        var place = places.target(target);
        var tree = places.tree(place);
        if (place instanceof Place.InBucket object) {
            boolean open = object.key().isEmpty() || object.key().endsWith("/") || sources.size() > 1;
            return new Target(tree, open || tree.find("").filter(TreeEntry::isDirectory).isPresent());
        }
        var there = tree.find("");
        if (there.filter(TreeEntry::isDirectory).isPresent()) {
            return new Target(tree, true);
        }
        if (sources.size() > 1 || target.endsWith("/")) {
            throw there.isPresent() ? CommandFailure.of(ExitCode.FAILED, "FS-0020", target + ": not a directory")
                    : noDirectory(target, place);
        }
        requireParent(places, place);
        return new Target(tree, false);
    }

    private static void requireParent(OpenPlaces places, Place place) throws IOException {
        switch (place) {
            case Place.Local local -> {
                var parent = local.path().toAbsolutePath().getParent();
                if (parent != null && !Files.isDirectory(parent)) {
                    throw noDirectory(parent.toString(), place);
                }
            }
            case Place.InVolume(var path) -> {
                String bare = path.path().replaceAll("/+$", "");
                var parent = path.at(bare.lastIndexOf('/') <= 0 ? "/" : bare.substring(0, bare.lastIndexOf('/')));
                if (places.tree(new Place.InVolume(parent)).find("").isEmpty()) {
                    throw noDirectory(parent.toString(), place);
                }
            }
            case Place.InBucket object -> { }
        }
    }

    private static CommandFailure noDirectory(String path, Place place) {
        var failure = CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", path + ": no such directory");
        return place instanceof Place.Local local
                ? failure.hint("mkdir -p " + ShellWord.of(path.contains("://") ? local.path() : path))   // of a store
                : failure.hint("volsh mkdir -p " + ShellWord.of(path));
    }

    private static void refuseItself(Source source, Target to) {
        String from = source.tree().name("").replaceAll("/+$", "");
        String shown = to.shown(source).replaceAll("/+$", "");
        if (from.equals(shown) || source.entry().isDirectory() && shown.startsWith(from + "/")) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0022", from.equals(shown)
                    ? from + " and " + shown + " are the same file" : "cannot copy %s into itself".formatted(from));
        }
    }

    private Summary copy(List<Source> found, Target to, Watch watch) throws Exception {
        var total = new Summary(0, 0, 0, 0);
        for (var source : found) {
            var moved = new MovedEntries(source.tree());
            CopySettings settings = options.settings();
            try (var copying = new TreeCopying(source.tree(), to.tree(), settings, watch,
                    file -> {
                        if (moves) {
                            moved.add(file);
                        }
                    })) {
                if (source.entry().isDirectory()) {
                    copying.addBelow("", to.path(source));
                } else {
                    copying.add(source.entry(), to.path(source));
                }
                var summary = copying.finish();
                if (moves) {
                    moved.remove(summary.failed() == 0 ? Optional.of(source.entry()) : Optional.empty());
                }
                total = total.plus(summary);
            }
        }
        return total;
    }

    private Summary stream(OpenPlaces places, InputStream in) throws IOException {
        var place = places.target(target);
        if (!(place instanceof Place.InBucket object)) {
            throw CommandFailure.usage("'-' (standard input) is copied to a volume or a bucket, not to " + target);
        }
        if (object.key().isEmpty() || object.key().endsWith("/")) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0021", target + ": is a directory")
                    .hint("append a name: " + ShellWord.of(target + (target.endsWith("/") ? "" : "/") + "stdin"));
        }
        try (var out = places.trees().stream(object, Math.toIntExact(options.settings().part()))) {
            in.transferTo(out);
            out.commit();
            return new Summary(1, 0, out.length(), 0);
        }
    }
}
