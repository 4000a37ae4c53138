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
import org.jspecify.annotations.Nullable;
import volsh.fs.Advice;
import volsh.fs.Attributes;
import volsh.fs.Name;
import volsh.meta.Consistency;
import volsh.meta.Way;
import volsh.vfs.Vfs;

/**
 * The consistency policy of each file of a mount, and how it will be read, inherited from its directories. Costs
 * nothing in a volume without policies. Changes are noticed within {@value #LOOK_SECONDS} seconds.
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
    private final InheritedRules<Consistency> rules;
    private final InheritedRules<Advice> advice;
    private final Map<Long, Attributes> fixed = new ConcurrentHashMap<>();
    private final DentryPaths ways = new DentryPaths();
    private final MountOptions options;
    private volatile Set<Long> passed = Set.of();
    private volatile long lookedNanos;

    /** {@code changed} runs when policies have been set or removed since the mount began. */
    public Policies(Vfs vfs, MountOptions options, Runnable changed) throws IOException {
        this.vfs = vfs;
        this.options = options;
        this.changed = changed;
        this.rules = new InheritedRules<>(vfs, vfs.coherence().policies());
        this.advice = new InheritedRules<>(vfs, vfs.coherence().advice());
        this.passed = passed(rules.own());
        this.lookedNanos = System.nanoTime();
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
        advice.found(directory, attributes.ino());
        if (rules.found(directory, attributes.ino()).orElse(null) instanceof Consistency.Immutable
                && fixed.size() < FIXED_MAX) {
            fixed.put(attributes.ino(), attributes);
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
            boolean others = rules.reload();
            if (others) {
                fixed.clear();
                ways.clear();
                passed = passed(rules.own());
            }
            if (advice.reload() || others) {
                changed.run();
            }
        } catch (IOException later) {
            LOG.log(Level.WARNING, "cannot read the policies of directories; the known ones stay in force, "
                    + "will retry: " + later.getMessage());
        } finally {
            lookedNanos = System.nanoTime();
            looking.unlock();
        }
    }

    /** The policy in force; empty if there is none. */
    public Optional<Consistency> of(long ino) {
        return rules.of(ino);
    }

    /** How this file will be read. */
    public Advice advice(long ino) {
        return advice.of(ino).orElse(Advice.NORMAL);
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
        rules.forget(ino);
        advice.forget(ino);
        fixed.remove(ino);
    }
}
