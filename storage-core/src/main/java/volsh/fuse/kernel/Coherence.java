package volsh.fuse.kernel;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import volsh.fs.FsException;
import volsh.meta.News;
import volsh.meta.News.Item;
import volsh.vfs.Vfs;

/**
 * Has the kernel forget what others changed, a moment after they did: names, attributes, and pages of files, open ones
 * too. A thread of its own: the kernel may keep it waiting until requests are answered that are under way, so no request
 * waits for it, and it holds nothing.
 */
final class Coherence implements Runnable {
    private static final Logger LOG = System.getLogger("volsh.mount");
    private static final long PAUSE_NANOS = 200_000_000;

    private final Vfs vfs;
    private final News news;
    private final Outbox outbox;
    private final Workers workers;
    private final long root;
    private boolean troubled;

    Coherence(Vfs vfs, Outbox outbox, Workers workers, long root) {
        this.vfs = vfs;
        this.news = vfs.news();
        this.outbox = outbox;
        this.workers = workers;
        this.root = root;
    }

    @Override
    public void run() {
        while (!workers.isDisconnected() && !workers.stopping()) {
            try {
                tell();
                troubled = false;
            } catch (IOException | RuntimeException later) {
                if (!troubled) {
                    LOG.log(Level.WARNING, "what others change is not heard of now; it is tried again: " + later.getMessage());
                }
                troubled = true;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void tell() throws IOException {
        Set<Item> told = new HashSet<>();
        for (var item : news.hear()) {
            if (told.add(item)) {
                switch (item) {
                    case Item.Entry(long directory, var name) -> {
                        outbox.forgetName(node(directory), name.bytes());
                        outbox.forgetAttributes(node(directory));
                    }
                    case Item.File(long ino) -> forgetFile(ino);
                    case Item.Much() -> outbox.forgetNames();
                }
            }
        }
    }

    /** Who has it open here reads the new version from now on, then the kernel does. */
    private void forgetFile(long ino) throws IOException {
        if (vfs.isOpen(ino)) {
            try {
                vfs.attributes(ino);
            } catch (FsException gone) {
                // removed since
            }
        }
        outbox.forgetFile(node(ino));
    }

    private long node(long ino) {
        return ino == root ? 1 : ino;
    }
}
