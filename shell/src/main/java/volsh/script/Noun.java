package volsh.script;

import java.util.List;
import java.util.Map;

/** A word such as {@code volume} or {@code mount} in code: its verbs are methods, and it may be a command by itself. */
public final class Noun {
    private final Vocabulary vocabulary;
    private final String name;

    Noun(Vocabulary vocabulary, String name) {
        this.vocabulary = vocabulary;
        this.name = name;
    }

    /** {@code volume.get('x')} is {@code volume show x}. */
    public Object get(Object which) {
        return vocabulary.call(List.of(name, "show"), which);
    }

    /** The command itself, for {@code mount(...)} by way of a variable. */
    public Object call(Object... arguments) {
        return vocabulary.call(List.of(name), arguments);
    }

    /** Groovy calls this for every verb. */
    public Object methodMissing(String verb, Object arguments) {
        Object[] given = (Object[]) arguments;
        if (vocabulary.takes(name, verb)) {   // mount.ensure(...) is mount --ensure
            var longer = new Object[given.length + 1];
            longer[0] = Map.of(verb, true);
            System.arraycopy(given, 0, longer, 1, given.length);
            return vocabulary.call(List.of(name), longer);
        }
        return vocabulary.call(List.of(name, verb), given);
    }

    @Override
    public String toString() {
        return name;
    }
}
