package volsh.fuse;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;
import volsh.fs.Name;
import volsh.meta.Consistencies;
import volsh.meta.Consistency;
import volsh.meta.Way;
import volsh.vfs.Vfs;

/**
 * The consistency policy of each file of a mount, inherited from its directories. Costs nothing in a volume without
 * policies. Changes are noticed within {@value #LOOK_SECONDS} seconds.
 */
public final class Policies {
    /** How long the kernel caches a directory under the policy close-to-open. */
    public static final Duration DIRECTORIES_KEPT = Duration.ofSeconds(1);

    private static final Logger LOG = System.getLogger("volsh.mount");
    private static final long LOOK_SECONDS = 2;
    private static final int DEEPEST = 10_000;
    private static final int FIXED_MAX = 500_000;
    private static final Duration FOR_EVER = Duration.ofDays(3650);

    private final Vfs vfs;
    private final Runnable changed;
    private final ReentrantLock looking = new ReentrantLock();
    private final Map<Long, Optional<Consistency>> known = new ConcurrentHashMap<>();
    private final Map<Long, Attributes> fixed = new ConcurrentHashMap<>();
    private final DentryPaths ways = new DentryPaths();
    private final MountOptions options;
    private volatile Map<Long, Consistency> rules = Map.of();
    private volatile Set<Long> passed = Set.of();
    private volatile long lookedNanos;

    /** {@code changed} runs when policies have been set or removed since the mount began. */
    public Policies(Vfs vfs, MountOptions options, Runnable changed) throws IOException {
        this.vfs = vfs;
        this.options = options;
        this.changed = changed;
        this.rules = load();
        this.passed = passed(rules);
        this.lookedNanos = System.nanoTime();
    }

    private Map<Long, Consistency> load() throws IOException {
        return vfs.coherence().policies().rules().stream()
                .collect(Collectors.toMap(Consistencies.Rule::directory, Consistencies.Rule::policy));
    }

    /**
     * The directories on the paths to immutable trees. A mount without caching would be asked for them for each file
     * that is opened: without another policy they alone are cached as under close-to-open, not their other entries.
     */
    private Set<Long> passed(Map<Long, Consistency> by) {
        if (options.attributeTimeout().compareTo(DIRECTORIES_KEPT) >= 0
                && options.entryTimeout().compareTo(DIRECTORIES_KEPT) >= 0) {
            return Set.of();
        }
        var found = new HashSet<Long>();
        by.forEach((directory, policy) -> {
            try {
                long at = policy instanceof Consistency.Immutable ? directory : options.root();
                for (int depth = 0; at != options.root() && depth < DEEPEST && vfs.parent(at) != at; depth++) {
                    at = vfs.parent(at);
                    found.add(at);
                }
            } catch (IOException gone) {
                // removed: no path leads through it
            }
        });
        return found;
    }

    private boolean isPassed(long ino) {
        return passed.contains(ino) && of(ino).isEmpty();
    }

    /** Called before the kernel is told of a file in this directory: it has that directory's policy, or its own. */
    public Attributes found(long directory, Attributes attributes) {
        if (!rules.isEmpty()) {
            var own = Optional.ofNullable(rules.get(attributes.ino()));
            var policy = own.or(() -> of(directory));
            known.put(attributes.ino(), policy);
            if (policy.orElse(null) instanceof Consistency.Immutable && fixed.size() < FIXED_MAX) {
                fixed.put(attributes.ino(), attributes);
            }
        }
        return attributes;
    }

    /**
     * Called before the kernel is told what is under this name: a directory may then be reached from the cache for a
     * while. True if the kernel may still know another path there, which no longer exists then.
     */
    public boolean leads(long directory, Name name, Attributes attributes) {
        return attributes.isDirectory() && (isCloseToOpen(attributes.ino()) || isPassed(attributes.ino()))
                && ways.add(directory, name, attributes.ino());
    }

    /** A name was moved or exchanged through this mount; the kernel moves its cached entry accordingly. */
    public void renamed(long parent, Name name, long newParent, Name newName, boolean exchanged) {
        ways.renamed(new EntryName(parent, name), new EntryName(newParent, newName), exchanged);
    }

    /** Whether the kernel may have cached a directory under this name. */
    public boolean mayRemember(EntryName place) {
        return ways.contains(place);
    }

    /** The name under which the kernel may have cached this directory; null if none. */
    public @Nullable EntryName remembered(long directory) {
        return ways.of(directory);
    }

    /** The paths by which the kernel may have reached this directory from its cache. */
    public Chain chainTo(long directory) {
        return ways.to(directory);
    }

    /** The kernel no longer uses this path. */
    public void lost(Way way) {
        ways.remove(way);
    }

    /** Checks now and then for policies that were set or removed. */
    public void look() {
        if (System.nanoTime() - lookedNanos < TimeUnit.SECONDS.toNanos(LOOK_SECONDS) || !looking.tryLock()) {
            return;
        }
        try {
            var now = load();
            if (!now.equals(rules)) {
                known.clear();
                fixed.clear();
                ways.clear();
                rules = now;
                passed = passed(now);
                changed.run();
            }
        } catch (IOException later) {
            LOG.log(Level.WARNING, "cannot read the consistency policies of directories; the known ones stay in force, "
                    + "will retry: " + later.getMessage());
        } finally {
            lookedNanos = System.nanoTime();
            looking.unlock();
        }
    }

    /** The policy in force; empty if there is none. */
    public Optional<Consistency> of(long ino) {
        if (rules.isEmpty()) {
            return Optional.empty();
        }
        var policy = known.get(ino);
        if (policy == null) {
            policy = above(ino);
            known.put(ino, policy);
        }
        return policy;
    }

    /** The policy of a directory whose location is not known yet. */
    private Optional<Consistency> above(long ino) {
        try {
            long at = ino;
            for (int depth = 0; depth < DEEPEST; depth++) {
                var policy = rules.get(at);
                if (policy != null) {
                    return Optional.of(policy);
                }
                long parent = vfs.parent(at);
                if (parent == at) {
                    break;
                }
                at = parent;
            }
        } catch (IOException gone) {
            // removed, or not a directory: any policy will do
        }
        return Optional.empty();
    }

    /** How long the kernel may cache this, if a policy says so; otherwise null. */
    public @Nullable Duration kept(Attributes attributes) {
        return switch (of(attributes.ino()).orElse(null)) {
            case null -> isPassed(attributes.ino()) && (attributes.ino() == options.root()
                    || ways.contains(attributes.ino())) ? DIRECTORIES_KEPT : null;
            case Consistency.Strict _ -> Duration.ZERO;
            case Consistency.CloseToOpen _ -> attributes.isDirectory() && ways.contains(attributes.ino())
                    ? DIRECTORIES_KEPT : Duration.ZERO;
            case Consistency.Relaxed(var ttl) -> ttl;
            case Consistency.Immutable _ -> FOR_EVER;
        };
    }

    public boolean isStrict(long ino) {
        return of(ino).orElse(null) instanceof Consistency.Strict;
    }

    private boolean isCloseToOpen(long ino) {
        return of(ino).orElse(null) instanceof Consistency.CloseToOpen;
    }

    public boolean isImmutable(long ino) {
        return of(ino).orElse(null) instanceof Consistency.Immutable;
    }

    /** The attributes of an immutable file, if known; otherwise null. */
    public @Nullable Attributes fixed(long ino) {
        return fixed.get(ino);
    }

    public void forget(long ino) {
        known.remove(ino);
        fixed.remove(ino);
    }
}
