package volsh.meta;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FsError;
import volsh.fs.FsException;

/** The consistency policies of directories. One applies to everything below its directory, down to the next policy. */
public final class Consistencies {
    private static final MetaKey KEY = Keys.setting("consistency");
    private static final int RULES_MAX = 1000;

    private final MetaEngine engine;

    public Consistencies(MetaEngine engine) {
        this.engine = engine;
    }

    /** A directory, its path when the policy was set, and the policy. */
    public record Rule(long directory, String path, Consistency policy) {}

    public List<Rule> rules() throws IOException {
        return engine.read(tx -> parse(tx.get(KEY)));
    }

    /** Sets the policy of a directory, replacing an earlier one. */
    public void set(long directory, String path, Consistency policy) throws IOException {
        engine.transact(tx -> {
            var rules = without(parse(tx.get(KEY)), directory);
            if (rules.size() >= RULES_MAX) {
                throw new FsException(FsError.NO_SPACE,
                        "too many consistency policies: at most %d directories can have one".formatted(RULES_MAX));
            }
            rules.add(new Rule(directory, path, policy));
            byte[] row = bytes(rules);
            if (row.length > MetaEngine.VALUE_MAX) {
                throw new FsException(FsError.NO_SPACE, ("not enough space for consistency policies: "
                        + "the paths of their directories exceed %d bytes").formatted(MetaEngine.VALUE_MAX));
            }
            tx.put(KEY, row);
            return null;
        });
    }

    /** Removes a directory's own policy. Returns whether it had one. */
    public boolean unset(long directory) throws IOException {
        return engine.transact(tx -> {
            var rules = parse(tx.get(KEY));
            var left = without(rules, directory);
            if (left.isEmpty()) {
                tx.delete(KEY);
            } else {
                tx.put(KEY, bytes(left));
            }
            return left.size() < rules.size();
        });
    }

    private static List<Rule> without(List<Rule> rules, long directory) {
        var left = new ArrayList<>(rules);
        left.removeIf(rule -> rule.directory() == directory);
        return left;
    }

    /** One line each: the inode, the policy, and the path up to the end of the line. */
    private static byte[] bytes(List<Rule> rules) {
        var text = new StringBuilder();
        rules.forEach(rule -> text.append(rule.directory()).append(' ').append(rule.policy()).append(' ')
                .append(rule.path().replace('\n', ' ')).append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static List<Rule> parse(byte @Nullable [] row) throws MetaDamagedException {
        try {
            return row == null ? List.of() : new String(row, StandardCharsets.UTF_8).lines()
                    .map(line -> line.split(" ", 3))
                    .map(words -> new Rule(Long.parseLong(words[0]), words[2], Consistency.of(words[1])))
                    .toList();
        } catch (IllegalArgumentException | IndexOutOfBoundsException nonsense) {
            throw MetaDamagedException.of(KEY, "cannot be read: not every line has a directory and a policy", nonsense);
        }
    }
}
