package volsh.command.object;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import volsh.block.RefusedException;
import volsh.catalog.Ownership;
import volsh.command.Guard;
import volsh.command.Plan;
import volsh.tree.FileTree;
import volsh.tree.Place;

/**
 * The volumes that keep their data at places which a command is about to change: those that this machine knows, and
 * those of others, found by their marks in directories that are named as those of volumes are.
 */
public final class StoredVolumes {
    private static final Pattern PART = Pattern.compile("([a-z0-9][a-z0-9-]*)-([0-9a-f]{8})");
    private static final String INDEX = "_volumes";
    private static final int LEVELS = 2;
    /** What is looked through for volumes of other machines. */
    private static final int DIRECTORIES_MAX = 200;
    private static final int NAMES_MAX = 20_000;
    private static final int ID_LENGTH = 36;

    private final OpenPlaces places;
    /** The names of volumes, by where their data is. */
    private final Map<String, String> found = new LinkedHashMap<>();
    private boolean removed;
    private int seen;

    public StoredVolumes(OpenPlaces places) {
        this.places = places;
    }

    /** The place will be written to: it must not be within the data of a volume. */
    public StoredVolumes writing(Place place) throws IOException {
        String[] names = path(place).split("/", -1);
        for (int count = 1; count <= names.length; count++) {
            if (PART.matcher(names[count - 1]).matches()) {
                look(places.tree(above(place, names, count)), "");
            } else if (names[count - 1].equals(INDEX)) {
                index(places.tree(above(place, names, count)));
            }
        }
        return this;
    }

    /** The place will be removed, with what is below it. Volumes of other machines are found two levels deep. */
    public StoredVolumes removing(Place place) throws IOException {
        removed = true;
        writing(place);
        if (place instanceof Place.InVolume) {
            return this;
        }
        var tree = places.tree(place);
        String top = whole(place);
        for (String directory : places.directoriesOfVolumes()) {
            if (directory.startsWith(top)) {
                look(tree, directory.substring(top.length()));
            }
        }
        record Level(String path, int depth) {}
        Deque<Level> left = new ArrayDeque<>(List.of(new Level("", 1)));
        for (int listed = 0; !left.isEmpty() && listed < DIRECTORIES_MAX; listed++) {
            var level = left.remove();
            for (String directory : directories(tree, level.path())) {
                if (!look(tree, directory) && level.depth() < LEVELS && left.size() < DIRECTORIES_MAX) {
                    left.add(new Level(directory, level.depth() + 1));
                }
            }
        }
        return this;
    }

    private List<String> directories(FileTree tree, String path) throws IOException {
        var directories = new ArrayList<String>();
        if (tree.find(path).filter(there -> there.isDirectory()).isPresent()) {
            var cursor = tree.children(path);
            for (var entry = cursor.next(); entry != null && seen < NAMES_MAX; entry = cursor.next()) {
                seen++;
                if (entry.isDirectory()) {
                    directories.add(entry.path());
                }
            }
        }
        return directories;
    }

    private static String path(Place place) {
        return switch (place) {
            case Place.Local local -> local.path().toAbsolutePath().normalize().toString();
            case Place.InVolume inside -> "";
            case Place.InBucket object -> object.key();
        };
    }

    /** As {@link OpenPlaces#directoriesOfVolumes} says it, with a slash. */
    private static String whole(Place place) {
        String path = switch (place) {
            case Place.Local local -> path(local);
            case Place.InVolume inside -> "";
            case Place.InBucket object -> object.bucket().url().path() + '/' + object.key();
        };
        return path.replaceAll("/+$", "") + '/';
    }

    private static Place above(Place place, String[] names, int count) {
        String path = String.join("/", List.of(names).subList(0, count));
        return place instanceof Place.InBucket object ? object.at(path) : new Place.Local(Path.of(path), true);
    }

    /** By which other machines find volumes. */
    private void index(FileTree tree) throws IOException {
        var cursor = tree.children("");
        for (var entry = cursor.next(); entry != null; entry = cursor.next()) {
            var part = PART.matcher(entry.name());
            if (part.matches()) {
                found.put(tree.name(""), part.group(1));
            }
        }
    }

    /** Whether the directory holds the data of a volume. */
    private boolean look(FileTree tree, String directory) throws IOException {
        String shown = tree.name(directory).replaceAll("/+$", "");
        var part = PART.matcher(shown.substring(shown.lastIndexOf('/') + 1));
        if (!part.matches()) {
            return false;
        }
        String path = directory.isEmpty() ? Ownership.MARK.text() : directory + '/' + Ownership.MARK.text();
        try {
            var mark = tree.find(path).filter(there -> there.isRegular() && there.size() == ID_LENGTH);
            if (mark.isEmpty()) {
                return false;
            }
            var id = new StringBuilder();
            try (var reader = tree.open(mark.get())) {
                reader.read(0, ID_LENGTH, piece -> id.append(StandardCharsets.US_ASCII.decode(piece)));
            }
            boolean volume = id.toString().startsWith(part.group(2));
            if (volume) {
                found.put(shown, part.group(1));
            }
            return volume;
        } catch (RefusedException unknown) {
            return false;      // what follows is refused, too, or nothing can be read here
        }
    }

    /** What has to be confirmed: nothing, unless there are such volumes. */
    public Guard guard(Guard otherwise) {
        if (found.isEmpty()) {
            return otherwise;
        }
        var first = found.entrySet().iterator().next();
        String more = found.size() == 1 ? "" : " (and %d more)".formatted(found.size() - 1);
        return new Guard.TypeName("%s holds the data of volume '%s'%s: %s it destroys the volume."
                .formatted(first.getKey(), first.getValue(), more, removed ? "removing" : "changing"),
                first.getValue());
    }

    /** The plan, with what it does to these volumes. */
    public Plan plan(Plan otherwise) {
        var plan = otherwise;
        for (var volume : found.entrySet()) {
            plan = plan.then("destroy", "volume '%s'".formatted(volume.getValue()), "its data is in "
                    + volume.getKey());
        }
        return plan;
    }
}
