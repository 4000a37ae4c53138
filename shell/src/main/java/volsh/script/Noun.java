package volsh.script;

import groovy.lang.MissingPropertyException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A word such as {@code volume} or {@code mount} in code: its verbs are methods, and it may be a command by itself.
 * What has verbs of its own is a property: {@code bench.baseline.check 'nightly'}.
 */
public final class Noun {
    private final Vocabulary vocabulary;
    private final List<String> path;

    Noun(Vocabulary vocabulary, List<String> path) {
        this.vocabulary = vocabulary;
        this.path = path;
    }

    /** {@code volume.get('x')} is {@code volume show x}; {@code stripe.get('x:/f')} is itself. */
    public @Nullable Object get(Object which) {
        return vocabulary.call(below(vocabulary.getter(path)), which);
    }

    /** The command itself, for {@code mount(...)} by way of a variable. */
    public @Nullable Object call(Object... arguments) {
        return vocabulary.call(path, arguments);
    }

    /** Groovy calls this for every verb. */
    public @Nullable Object methodMissing(String verb, Object arguments) {
        Object[] given = (Object[]) arguments;
        if (path.size() == 1 && vocabulary.takes(path.getFirst(), verb)) {   // mount.ensure(...) is mount --ensure
            var longer = new Object[given.length + 1];
            longer[0] = Map.of(verb, true);
            System.arraycopy(given, 0, longer, 1, given.length);
            return vocabulary.call(path, longer);
        }
        return vocabulary.call(below(verb), given);
    }

    /** Groovy calls this for every word behind a dot that is not called. */
    public Object propertyMissing(String word) {
        if (vocabulary.leads(below(word))) {
            return new Noun(vocabulary, below(word));
        }
        throw new MissingPropertyException(word, Noun.class);
    }

    private List<String> below(String word) {
        var longer = new ArrayList<>(path);
        longer.add(word);
        return List.copyOf(longer);
    }

    @Override
    public String toString() {
        return String.join(" ", path);
    }
}
