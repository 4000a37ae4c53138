package volsh.fuse;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import volsh.meta.PathRules;
import volsh.vfs.Vfs;

/**
 * The rule of each file of a mount: its own, or that of the nearest directory above that has one. Costs nothing in a
 * volume without rules.
 */
final class InheritedRules<P> {
    private static final int DEEPEST = 10_000;

    private final Vfs vfs;
    private final PathRules<P> source;
    private final Map<Long, Optional<P>> known = new ConcurrentHashMap<>();
    private volatile Map<Long, P> rules;

    InheritedRules(Vfs vfs, PathRules<P> source) throws IOException {
        this.vfs = vfs;
        this.source = source;
        this.rules = load();
    }

    private Map<Long, P> load() throws IOException {
        return source.rules().stream().collect(Collectors.toMap(PathRules.Rule::ino, PathRules.Rule::policy));
    }

    /** The rules as they are set, by inode. */
    Map<Long, P> own() {
        return rules;
    }

    /** Reads the rules again; whether they have changed. */
    boolean reload() throws IOException {
        var now = load();
        if (now.equals(rules)) {
            return false;
        }
        known.clear();
        rules = now;
        return true;
    }

    /** What is in this directory was found there: it has that directory's rule, or its own. */
    Optional<P> found(long directory, long ino) {
        if (rules.isEmpty()) {
            return Optional.empty();
        }
        var rule = Optional.ofNullable(rules.get(ino)).or(() -> of(directory));
        known.put(ino, rule);
        return rule;
    }

    /** The rule in force; empty if there is none. */
    Optional<P> of(long ino) {
        if (rules.isEmpty()) {
            return Optional.empty();
        }
        var rule = known.get(ino);
        if (rule == null) {
            rule = above(ino);
            known.put(ino, rule);
        }
        return rule;
    }

    /** The rule of a directory whose location is not known yet. */
    private Optional<P> above(long ino) {
        try {
            long at = ino;
            for (int depth = 0; depth < DEEPEST; depth++) {
                var rule = rules.get(at);
                if (rule != null) {
                    return Optional.of(rule);
                }
                long parent = vfs.parent(at);
                if (parent == at) {
                    break;
                }
                at = parent;
            }
        } catch (IOException gone) {
            // removed, or not a directory: any rule will do
        }
        return Optional.empty();
    }

    void forget(long ino) {
        known.remove(ino);
    }
}
