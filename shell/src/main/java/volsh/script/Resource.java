package volsh.script;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.command.render.Row;

/**
 * A thing that a command answered: its columns are properties, the verbs of its noun are methods ({@code v.destroy()}),
 * and so are commands that take it first ({@code v.mount('/mnt')}). It is what the command saw: properties it lacks are
 * read when asked for, the others do not change behind the script's back.
 */
public final class Resource extends Row {
    private final Vocabulary vocabulary;
    private final String noun;
    private final boolean planned;
    private final List<Object> address;

    /** {@code planned}: it is not there, because this is a dry run. */
    Resource(Row row, Vocabulary vocabulary, String noun, boolean planned) {
        this(row, vocabulary, noun, planned, List.of(row.name()));
    }

    /** {@code address}: the arguments by which its verbs find it, where that is more than its name. */
    Resource(Row row, Vocabulary vocabulary, String noun, boolean planned, List<Object> address) {
        super(row);
        this.vocabulary = vocabulary;
        this.noun = noun;
        this.planned = planned;
        this.address = List.copyOf(address);
    }

    @Override
    public @Nullable Object get(Object property) {
        if (noun.equals("mounts") && property.equals("path")) {
            return Path.of(name());
        }
        if (noun.equals("mounts") && property.equals("healthy")) {
            return planned || "ok".equals(get("state"));
        }
        try {
            return super.get(property);
        } catch (IllegalArgumentException unknown) {
            boolean verb = vocabulary.has(noun, meant(String.valueOf(property)))
                    || vocabulary.isCommand(String.valueOf(property));
            if (planned || verb) {   // Groovy asks for a property of this name before it calls the method
                return null;
            }
            throw unknown;
        }
    }

    /** Groovy calls this for every verb. */
    public @Nullable Object methodMissing(String verb, Object arguments) {
        Object[] given = (Object[]) arguments;
        boolean free = !vocabulary.has(noun, verb) && vocabulary.isCommand(verb);
        var all = new ArrayList<Object>(free ? List.of(name()) : address);
        all.addAll(Arrays.asList(given));
        return vocabulary.call(free ? List.of(verb) : List.of(noun, meant(verb)), all.toArray());
    }

    /** Every object has a method wait of its own, so a job is joined. */
    private String meant(String verb) {
        return noun.equals("job") && verb.equals("join") ? "wait" : verb;
    }

    /** As in texts and words: what it is called. */
    @Override
    public String toString() {
        return name();
    }
}
