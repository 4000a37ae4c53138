package volsh.tree;

import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import volsh.fs.Name;

/** Which keys of buckets can be paths of files: those of names between single slashes. */
public final class FileNames {
    private FileNames() {}

    /** Why the path cannot be one of files; empty if it can. */
    public static String objection(String path) {
        for (String name : path.split("/", -1)) {
            if (name.isEmpty()) {
                return "a name between slashes is empty";
            }
            if (name.equals(".") || name.equals("..")) {
                return "'%s' cannot be the name of a file".formatted(name);
            }
            if (name.indexOf('\0') >= 0) {
                return "a file name cannot contain NUL";
            }
            if (name.getBytes(StandardCharsets.UTF_8).length > Name.LENGTH_MAX) {
                return "a name is longer than %d bytes".formatted(Name.LENGTH_MAX);
            }
        }
        return "";
    }

    /** @throws FileSystemException if the path, unless it is empty, cannot be one of files below the directory */
    static void require(String path, String directory) throws FileSystemException {
        String objection = path.isEmpty() ? "" : objection(path);
        if (!objection.isEmpty()) {
            throw new FileSystemException(directory + '/' + path, null, objection);
        }
    }
}
