package volsh.secret;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Credentials from the environment. A long-running process, a mount or a job, does not have them there: /proc shows the
 * initial environment of a process for as long as it lives, and so do crash dumps. It gets them on its standard input
 * instead, and passes them to its children in the same way.
 */
public final class Secrets {
    /** By name in the environment, the system property of the S3 SDK, if any. The id of a key goes with the key. */
    private static final Map<String, String> PROPERTIES = Map.of(
            "AWS_ACCESS_KEY_ID", "aws.accessKeyId",
            "AWS_SECRET_ACCESS_KEY", "aws.secretAccessKey",
            "AWS_SESSION_TOKEN", "aws.sessionToken",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN", "aws.containerAuthorizationToken",
            "PGPASSWORD", "",
            "VOLSH_PASSPHRASE", "");
    private static final Map<String, String> GIVEN = new ConcurrentHashMap<>();
    private static final String KEY = "key:";
    private static final Map<String, String> KEYS = new ConcurrentHashMap<>();
    private static final int MOST_BYTES = 1 << 16;   // the capacity of a pipe: writing never blocks

    private static volatile Supplier<Set<String>> others = Set::of;

    private Secrets() {}

    /** Further variables of the environment that hold secrets; asked whenever a process is started. */
    public static void alsoIn(Supplier<Set<String>> variables) {
        others = variables;
    }

    /** A secret passed to this process, or from its environment. */
    public static Optional<String> find(String name) {
        return Optional.ofNullable(GIVEN.getOrDefault(name, System.getenv(name)));
    }

    /** The secrets passed to this process, to be added to an environment. */
    public static Map<String, String> given() {
        return Map.copyOf(GIVEN);
    }

    /** A key that this process or the one that started it has opened. Never in an environment. */
    public static Optional<String> key(String name) {
        return Optional.ofNullable(KEYS.get(name));
    }

    /** Gives the processes that are started from now on this key, too. */
    public static void giveKey(String name, String value) {
        KEYS.put(name, value);
    }

    /** Forgets a key; the processes that have it keep it. */
    public static void dropKey(String name) {
        KEYS.remove(name);
    }

    /** Removes the secrets from the environment of a new process, and returns what to write to its standard input. */
    public static byte[] takeFrom(Map<String, String> environment) {
        var text = new StringBuilder();
        var all = new LinkedHashMap<>(GIVEN);
        var names = new HashSet<>(others.get());
        names.addAll(PROPERTIES.keySet());
        for (var name : names) {
            var value = environment.remove(name);
            if (value != null) {
                all.put(name, value);
            }
        }
        KEYS.forEach((name, value) -> all.put(KEY + name, value));
        all.forEach((name, value) -> text.append(name).append('=').append(value).append('\0'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Writes them to a started process, and closes its standard input. */
    public static void hand(byte[] secrets, OutputStream input) throws IOException {
        try (input) {
            input.write(secrets);
        } catch (IOException ended) {
            // it has already ended, and reports why elsewhere
        }
    }

    /** Reads what {@link #hand} wrote. */
    public static void accept(InputStream input) throws IOException {
        var text = new String(input.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
        for (var one : text.split("\0")) {
            int equals = one.indexOf('=');
            if (equals > 0 && one.startsWith(KEY)) {
                KEYS.put(one.substring(KEY.length(), equals), one.substring(equals + 1));
            } else if (equals > 0 && PROPERTIES.containsKey(one.substring(0, equals))) {
                accept(one.substring(0, equals), one.substring(equals + 1));
            }
        }
    }

    private static void accept(String name, String value) {
        GIVEN.put(name, value);
        String property = PROPERTIES.getOrDefault(name, "");
        if (!property.isEmpty()) {
            System.setProperty(property, value);
        }
    }
}
