package volsh.command.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** What this machine calls users and groups; a number that has no name here shows as itself. */
final class Accounts {
    private final Map<Integer, String> users = read(Path.of("/etc/passwd"));
    private final Map<Integer, String> groups = read(Path.of("/etc/group"));

    String user(int uid) {
        return users.getOrDefault(uid, Integer.toUnsignedString(uid));
    }

    String group(int gid) {
        return groups.getOrDefault(gid, Integer.toUnsignedString(gid));
    }

    /** Lines of {@code name:x:number:…}. */
    private static Map<Integer, String> read(Path file) {
        var names = new HashMap<Integer, String>();
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                String[] fields = line.split(":", 4);
                if (fields.length > 2 && fields[2].matches("\\d{1,10}")) {
                    names.putIfAbsent((int) Long.parseLong(fields[2]), fields[0]);
                }
            }
        } catch (IOException unreadable) {
            // Numbers do as well.
        }
        return names;
    }
}
