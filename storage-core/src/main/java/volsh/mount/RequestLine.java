package volsh.mount;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.warm.Wish;

/**
 * Converts a {@link MountRequest} to a line: {@code volsh/VERSION}, the name of the record without its last word, its
 * components. Lasting requests have no version on their line. A mount outlives an upgrade of the command: if they are
 * of different versions, neither guesses what the other means.
 */
final class RequestLine {
    /** Version 1 had no version numbers. */
    static final int VERSION = 2;

    private static final String OURS = "volsh/";
    private static final String SUFFIX = "Request";

    private RequestLine() {}

    static String of(MountRequest<?> request) {
        var line = Phrase.of(verb(request.getClass()), words(request));
        return isLasting(request) ? line : header() + " " + line;
    }

    static boolean isLasting(MountRequest<?> request) {
        return request instanceof MountRequest.Lasting;
    }

    /** The first line of the answer to a line with a version. */
    static String header() {
        return OURS + VERSION;
    }

    static boolean hasVersion(String line) {
        return line.startsWith(OURS);
    }

    /** The version that wrote this line. */
    static int version(String line) throws IOException {
        try {
            return hasVersion(line) ? Integer.parseInt(line.split(" ", 2)[0].substring(OURS.length())) : 1;
        } catch (NumberFormatException nonsense) {
            throw new IOException("invalid answer of the mount: " + line, nonsense);
        }
    }

    /** @throws Refusal CONFLICT if another version wrote it, and it is not a lasting request */
    static MountRequest<?> parse(String line) throws IOException {
        boolean versioned = hasVersion(line);
        if (versioned && version(line) != VERSION) {
            throw otherVersion(version(line), VERSION);
        }
        var phrase = Phrase.parse(versioned ? line.substring(header().length()).stripLeading() : line);
        var found = Stream.of(MountRequest.class.getDeclaredClasses())
                .filter(type -> type.isRecord() && verb(type).equals(phrase.verb())).findFirst();
        var request = found.isPresent() ? request(found.get(), phrase) : null;
        if (!versioned && (request == null || !isLasting(request))) {
            throw otherVersion(1, VERSION);
        }
        if (request == null) {
            throw new IOException("unknown request: " + phrase.verb());
        }
        return request;
    }

    /** Refuses a request from a command of another version than the mount's. */
    static Refusal otherVersion(int command, int mount, String... restart) {
        return new Refusal(Reason.CONFLICT,
                "the mount runs %s volsh than this command (protocol %d, not %d): restart the mount"
                        .formatted(mount < command ? "an older" : "a newer", mount, command), restart);
    }

    private static String verb(Class<?> type) {
        var name = type.getSimpleName().substring(0, type.getSimpleName().length() - SUFFIX.length());
        return name.replaceAll("(?<=.)([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static List<String> words(MountRequest<?> request) {
        var words = new ArrayList<String>();
        for (var component : request.getClass().getRecordComponents()) {
            try {
                words.addAll(words(component.getAccessor().invoke(request)));
            } catch (ReflectiveOperationException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        return words;
    }

    private static List<String> words(Object value) {
        if (value instanceof List<?> several) {
            return several.stream().map(Object::toString).toList();
        }
        if (value instanceof Optional<?> perhaps) {
            return perhaps.stream().map(Object::toString).toList();
        }
        if (value instanceof Wish wish) {
            return wish.words();
        }
        return List.of(value instanceof Duration time ? Long.toString(time.toMillis()) : value.toString());
    }

    private static MountRequest<?> request(Class<?> type, Phrase phrase) throws IOException {
        var components = type.getRecordComponents();
        var left = new ArrayDeque<>(phrase.words());
        var values = new ArrayList<Object>();
        try {
            for (var component : components) {
                values.add(value(component.getType(), left));
            }
            var types = Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
            return (MountRequest<?>) type.getDeclaredConstructor(types).newInstance(values.toArray());
        } catch (IllegalArgumentException | NoSuchElementException | InvocationTargetException wrong) {
            throw new IOException("invalid arguments of request %s: %s".formatted(phrase.verb(),
                    Stream.of(components).map(RecordComponent::getName).collect(Collectors.joining(", "))), wrong);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Parses a value from the words; lists, optional values and wishes take all that are left. */
    private static Object value(Class<?> type, Deque<String> words) {
        if (type == List.class) {
            return List.copyOf(words);
        }
        if (type == Optional.class) {
            return words.stream().findFirst();
        }
        if (type == Wish.class) {
            return Wish.of(List.copyOf(words));
        }
        var word = words.removeFirst();
        return switch (type.getSimpleName()) {
            case "int" -> Integer.valueOf(word);
            case "long" -> Long.valueOf(word);
            case "String" -> word;
            case "Path" -> Path.of(word);
            case "Duration" -> Duration.ofMillis(Long.parseLong(word));
            default -> throw new IllegalStateException("unsupported component type: " + type);
        };
    }
}
