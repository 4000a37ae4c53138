package volsh.command.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The names of users and groups on this machine; a number without a name shows as the number. */
public final class Accounts {
    private static final long NUMBER_MAX = 0xffff_fffeL;   // one more means "leave unchanged"

    private final Map<Integer, String> users = read(Path.of("/etc/passwd"));
    private final Map<Integer, String> groups = read(Path.of("/etc/group"));

    public String user(int uid) {
        return users.getOrDefault(uid, Integer.toUnsignedString(uid));
    }

    public String group(int gid) {
        return groups.getOrDefault(gid, Integer.toUnsignedString(gid));
    }

    public List<String> users() {
        return List.copyOf(users.values());
    }

    public List<String> groups() {
        return List.copyOf(groups.values());
    }

    /** The number of a user, by name or number. */
    public Optional<Integer> uid(String user) {
        return number(users, "passwd", user);
    }

    /** The number of a group, by name or number. */
    public Optional<Integer> gid(String group) {
        return number(groups, "group", group);
    }

    private static Optional<Integer> number(Map<Integer, String> names, String database, String word) {
        if (word.matches("\\d{1,10}")) {
            long number = Long.parseLong(word);
            return number > NUMBER_MAX ? Optional.empty() : Optional.of((int) number);
        }
        for (var each : names.entrySet()) {
            if (each.getValue().equals(word)) {
                return Optional.of(each.getKey());
            }
        }
        return asked(database, word);
    }

    /** Asks getent, because names may come from a directory service. */
    private static Optional<Integer> asked(String database, String word) {
        if (!word.matches("[A-Za-z0-9_][A-Za-z0-9_.@$-]{0,255}")) {
            return Optional.empty();
        }
        try {
            var process = new ProcessBuilder("getent", database, word).redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            String[] fields = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split(":", 4);
            return fields.length > 2 && fields[2].matches("\\d{1,10}") ? Optional.of((int) Long.parseLong(fields[2]))
                    : Optional.empty();
        } catch (IOException none) {
            return Optional.empty();
        }
    }

    /** Lines of {@code name:x:number:…}. */
    private static Map<Integer, String> read(Path file) {
        var names = new LinkedHashMap<Integer, String>();
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                String[] fields = line.split(":", 4);
                if (fields.length > 2 && fields[2].matches("\\d{1,10}")) {
                    names.putIfAbsent((int) Long.parseLong(fields[2]), fields[0]);
                }
            }
        } catch (IOException unreadable) {
            // then numbers are shown
        }
        return names;
    }
}
