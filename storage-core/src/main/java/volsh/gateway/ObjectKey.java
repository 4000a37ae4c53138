package volsh.gateway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import volsh.fs.Name;

/**
 * The key of an object as names of files. Keys that are no path (empty names, {@code .}, {@code ..}, names of more than
 * 255 bytes) are refused, and so are those below the gateway's own directory.
 *
 * @param directory whether the key ends with a slash: it stands for a directory
 */
record ObjectKey(String text, List<Name> names, boolean directory) {
    private static final int LENGTH_MAX = 1024;

    static ObjectKey of(String key) throws IOException {
        if (key.getBytes(StandardCharsets.UTF_8).length > LENGTH_MAX) {
            throw new S3Refusal(400, "KeyTooLongError", "a key has at most %d bytes".formatted(LENGTH_MAX));
        }
        boolean directory = key.endsWith("/");
        var names = new ArrayList<Name>();
        for (String part : (directory ? key.substring(0, key.length() - 1) : key).split("/", -1)) {
            try {
                names.add(Name.of(part));
            } catch (IOException notAName) {
                throw S3Refusal.invalid("the key '%s' cannot be the path of a file: %s".formatted(key,
                        part.isEmpty() ? "a name between slashes is empty" : String.valueOf(notAName.getMessage())));
            }
        }
        if (names.getFirst().toString().equals(MultipartUploads.DIRECTORY)) {
            throw S3Refusal.denied("'%s/' is the gateway's own".formatted(MultipartUploads.DIRECTORY));
        }
        return new ObjectKey(key, names, directory);
    }

    Name last() {
        return names.getLast();
    }

    List<Name> parents() {
        return names.subList(0, names.size() - 1);
    }
}
