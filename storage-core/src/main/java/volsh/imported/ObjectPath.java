package volsh.imported;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsException;
import volsh.fs.Name;

/**
 * A key as the path of a file: its parts between slashes.
 *
 * @param directories those above it
 * @param name the last part; null if the key ends with a slash: then it stands for a directory
 */
record ObjectPath(List<Name> directories, @Nullable Name name) {
    private static final int NAME_MAX = 255;

    /** A path, or why there is none. */
    record Parsed(Optional<ObjectPath> path, String refused) {}

    static Parsed of(String key) {
        if (key.codePoints().anyMatch(Character::isISOControl)) {
            return refused("the key contains control characters");
        }
        var names = new ArrayList<Name>();
        int from = 0;
        for (int slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', from)) {
            var refusal = add(names, key.substring(from, slash));
            if (refusal.isPresent()) {
                return refused(refusal.get());
            }
            from = slash + 1;
        }
        if (from == key.length()) {
            return new Parsed(Optional.of(new ObjectPath(List.copyOf(names), null)), "");
        }
        var refusal = add(names, key.substring(from));
        if (refusal.isPresent()) {
            return refused(refusal.get());
        }
        return new Parsed(Optional.of(new ObjectPath(List.copyOf(names.subList(0, names.size() - 1)),
                names.getLast())), "");
    }

    private static Parsed refused(String why) {
        return new Parsed(Optional.empty(), why);
    }

    private static Optional<String> add(List<Name> names, String part) {
        if (part.isEmpty()) {
            return Optional.of("the key has an empty part, as in a//b");
        }
        if (part.equals(".") || part.equals("..")) {
            return Optional.of("'%s' is no name of a file".formatted(part));
        }
        if (part.getBytes(StandardCharsets.UTF_8).length > NAME_MAX) {
            return Optional.of("a part of the key is longer than %d bytes".formatted(NAME_MAX));
        }
        try {
            names.add(Name.of(part));
            return Optional.empty();
        } catch (FsException impossible) {
            return Optional.of(String.valueOf(impossible.getMessage()));
        }
    }
}
