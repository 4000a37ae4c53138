package volsh.command;

import java.util.ArrayDeque;
import volsh.catalog.VolumePath;

/** Paths as they are typed in a directory of a volume. */
public final class RelativePath {
    private RelativePath() {}

    /**
     * The path that the word names in this directory. Dots at its beginning are resolved by their names; those behind
     * stay, because only the volume knows the links before them. Nothing is above the root.
     */
    public static VolumePath in(VolumePath directory, String word) {
        String base = word.startsWith("/") ? "" : directory.path().replaceAll("/+$", "");
        String rest = word.replaceFirst("^/+", "");
        while (isDots(rest, ".") || isDots(rest, "..")) {
            base = isDots(rest, "..") ? base.substring(0, Math.max(0, base.lastIndexOf('/'))) : base;
            int slash = rest.indexOf('/');
            rest = slash < 0 ? "" : rest.substring(slash).replaceFirst("^/+", "");
        }
        return directory.at(rest.isEmpty() ? base.isEmpty() ? "/" : base : base + "/" + rest);
    }

    /** The same path without dots and needless slashes, by its names alone. */
    public static VolumePath plain(VolumePath path) {
        var names = new ArrayDeque<String>();
        for (String name : path.path().split("/+")) {
            if (name.equals("..")) {
                names.pollLast();
            } else if (!name.isEmpty() && !name.equals(".")) {
                names.add(name);
            }
        }
        return path.at("/" + String.join("/", names));
    }

    private static boolean isDots(String path, String dots) {
        return path.equals(dots) || path.startsWith(dots + "/");
    }

    /** The beginning of full paths that stands for the beginning {@code typed}, which is empty or ends with a slash. */
    public static String beginning(VolumePath directory, String typed) {
        String full = in(directory, typed).toString();
        return full.endsWith("/") ? full : full + "/";
    }
}
