package volsh.fuse.kernel;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fuse.EntryName;
import volsh.fuse.Policies;
import volsh.meta.Namespace;
import volsh.vfs.Vfs;

/**
 * Makes the kernel revalidate cached directories when others have changed them, earlier than it would by itself. Only
 * for names: a notification about a file could make the kernel discard a reply that is on its way, see decision 0034.
 * The kernel may block a notification until requests in progress are answered, so a separate thread sends them, and no
 * request waits for it.
 */
final class DentryExpiry implements Namespace.Watcher {
    private static final int EXPIRE_ONLY_MINOR = 38;
    private static final int WAITING_MAX = 10_000;
    private static final long FUSE_ROOT = 1;

    private final Policies policies;
    private final Outbox outbox;
    private final long root;
    private final boolean possible;
    private final BlockingQueue<EntryName> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
    private final Thread sender = Thread.ofPlatform().name("fuse-expiry").daemon().unstarted(this::send);

    /** {@code minor} is the kernel's protocol version, {@code root} the mounted directory. */
    DentryExpiry(Policies policies, Outbox outbox, long root, int minor) {
        this.policies = policies;
        this.outbox = outbox;
        this.root = root;
        this.possible = minor >= EXPIRE_ONLY_MINOR;
    }

    /** Starts following changes, until the result is closed. */
    MetaEngine.Following follow(Vfs vfs) {
        sender.start();
        var following = vfs.coherence().follow(this);
        return () -> {
            following.close();
            sender.interrupt();
        };
    }

    @Override
    public void nameChanged(long directory, Name name) {
        var place = new EntryName(directory, name);
        if (policies.mayRemember(place)) {
            expire(place);
        }
    }

    @Override
    public void inodeChanged(long ino) {
        var place = policies.remembered(ino);
        if (place != null) {
            expire(place);
        }
    }

    @Override
    public void muchChanged() {
        // the kernel's cached entries expire soon anyway
    }

    private void expire(EntryName place) {
        if (possible && !waiting.offer(place)) {
            waiting.clear();   // as above
        }
    }

    private void send() {
        try {
            while (true) {
                var place = waiting.take();
                outbox.expireName(place.directory() == root ? FUSE_ROOT : place.directory(), place.name().bytes());
            }
        } catch (InterruptedException ended) {
            // the mount is gone
        }
    }
}
