package volsh.script;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** All things of a kind: {@code volumes}, {@code mounts}. Read when first looked at, and not again. */
public final class Listing extends AbstractList<Object> {
    private final Vocabulary vocabulary;
    private final String noun;
    private @Nullable List<Object> items;

    Listing(Vocabulary vocabulary, String noun) {
        this.vocabulary = vocabulary;
        this.noun = noun;
    }

    private synchronized List<Object> items() {
        if (items == null) {
            items = new ArrayList<>((List<?>) Objects.requireNonNull(vocabulary.call(List.of(noun, "list"))));
        }
        return items;
    }

    /** The item of this name or path; fails if there is none. */
    public @Nullable Object at(Object which) {
        return vocabulary.call(List.of(noun, "show"), which);
    }

    @Override
    public Object get(int index) {
        return items().get(index);
    }

    /** Groovy's {@code sort} works in place: it changes the order here, and nothing else. */
    @Override
    public Object set(int index, Object item) {
        return items().set(index, item);
    }

    @Override
    public int size() {
        return items().size();
    }

    /** The verbs of the noun: {@code mounts.stats('/mnt')}. */
    public @Nullable Object methodMissing(String verb, Object arguments) {
        return vocabulary.call(List.of(noun, verb), (Object[]) arguments);
    }
}
