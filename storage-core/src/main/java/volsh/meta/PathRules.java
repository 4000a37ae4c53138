package volsh.meta;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.Advice;
import volsh.fs.FsError;
import volsh.fs.FsException;

/**
 * Rules of one kind for directories and files, kept in the volume. The rule of a directory applies to everything below
 * it, down to the next rule.
 *
 * @param <P> what a rule says; its text is one word
 */
public final class PathRules<P> {
    private static final int RULES_MAX = 1000;

    private final MetaEngine engine;
    private final MetaKey key;
    private final String noun;
    private final Function<String, P> reader;

    private PathRules(MetaEngine engine, String setting, String noun, Function<String, P> reader) {
        this.engine = engine;
        this.key = Keys.setting(setting);
        this.noun = noun;
        this.reader = reader;
    }

    /** How fresh the answers of mounts have to be. */
    public static PathRules<Consistency> consistency(MetaEngine engine) {
        return new PathRules<>(engine, "consistency", "consistency policies", Consistency::of);
    }

    /** How files will be read. */
    public static PathRules<Advice> advice(MetaEngine engine) {
        return new PathRules<>(engine, "advice", "advice", Advice::of);
    }

    /** A directory or file, its path when the rule was set, and what the rule says. */
    public record Rule<P>(long ino, String path, P policy) {}

    public List<Rule<P>> rules() throws IOException {
        return engine.read(tx -> parse(tx.get(key)));
    }

    /** Sets the rule of a directory or file, replacing an earlier one. */
    public void set(long ino, String path, P policy) throws IOException {
        engine.transact(tx -> {
            var rules = without(parse(tx.get(key)), ino);
            if (rules.size() >= RULES_MAX) {
                throw new FsException(FsError.NO_SPACE,
                        "too many %s: at most %d directories can have one".formatted(noun, RULES_MAX));
            }
            rules.add(new Rule<>(ino, path, policy));
            byte[] row = bytes(rules);
            if (row.length > MetaEngine.VALUE_MAX) {
                throw new FsException(FsError.NO_SPACE, ("not enough space for %s: "
                        + "the paths of their directories exceed %d bytes").formatted(noun, MetaEngine.VALUE_MAX));
            }
            tx.put(key, row);
            return null;
        });
    }

    /** Removes the own rule of a directory or file. Returns whether it had one. */
    public boolean unset(long ino) throws IOException {
        return engine.transact(tx -> {
            var rules = parse(tx.get(key));
            var left = without(rules, ino);
            if (left.isEmpty()) {
                tx.delete(key);
            } else {
                tx.put(key, bytes(left));
            }
            return left.size() < rules.size();
        });
    }

    private static <P> List<Rule<P>> without(List<Rule<P>> rules, long ino) {
        var left = new ArrayList<>(rules);
        left.removeIf(rule -> rule.ino() == ino);
        return left;
    }

    /** One line each: the inode, what the rule says, and the path up to the end of the line. */
    private static <P> byte[] bytes(List<Rule<P>> rules) {
        var text = new StringBuilder();
        rules.forEach(rule -> text.append(rule.ino()).append(' ').append(rule.policy()).append(' ')
                .append(rule.path().replace('\n', ' ')).append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private List<Rule<P>> parse(byte @Nullable [] row) throws MetaDamagedException {
        try {
            return row == null ? List.of() : new String(row, StandardCharsets.UTF_8).lines()
                    .map(line -> line.split(" ", 3))
                    .map(words -> new Rule<>(Long.parseLong(words[0]), words[2], reader.apply(words[1])))
                    .toList();
        } catch (IllegalArgumentException | IndexOutOfBoundsException nonsense) {
            throw MetaDamagedException.of(key, "cannot be read: not every line has a directory and a policy", nonsense);
        }
    }
}
