package volsh.sync;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import volsh.transfer.Observer;
import volsh.transfer.Summary;
import volsh.tree.FileTree;
import volsh.tree.TreeCopying;
import volsh.tree.TreeEntry;

/**
 * Makes the target the same as the source. Files appear whole, so a sync that was stopped can be run again and goes on.
 * Nothing is removed before the listing of the source has passed it by; a source that cannot be listed ends the sync.
 */
public final class TreeSync {
    private static final int REMOVED_AT_ONCE = 500;
    private static final int COMPARED_AT_ONCE = 32;

    private final FileTree source;
    private final FileTree target;
    private final SyncSettings settings;
    private final Observer observer;
    private final FileComparison comparison;
    private final LongAdder unchanged = new LongAdder();
    private final Semaphore comparing = new Semaphore(COMPARED_AT_ONCE);
    private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
    private final List<TreeEntry> removals = new ArrayList<>();
    private final List<TreeEntry> postponed = new ArrayList<>();
    private final Deque<TreeEntry> directories = new ArrayDeque<>();
    private long removed;
    private long extra;

    public TreeSync(FileTree source, FileTree target, SyncSettings settings, Observer observer) {
        this.source = source;
        this.target = target;
        this.settings = settings;
        this.observer = observer;
        this.comparison = new FileComparison(source, target, settings);
    }

    /** What would be done, or is. */
    public sealed interface Step {
        /** Of the source, {@code over} what the target has there. */
        record Copy(TreeEntry file, boolean over) implements Step {}

        /** From the target. */
        record Remove(TreeEntry entry) implements Step {}
    }

    /** Learns of every step, in the order of names. */
    public interface Steps {
        void take(Step step) throws IOException;
    }

    /** Compares alone; returns how many files are the same. */
    public long plan(Steps steps) throws IOException {
        var pairs = new TreePairs(source, target, settings.taken());
        for (var pair = pairs.next(); pair != null; pair = pairs.next()) {
            check();
            var ours = pair.source();
            var theirs = pair.target();
            if (ours == null) {
                boolean implied = theirs != null && theirs.isDirectory() && !source.keepsAttributes();
                if (theirs != null && settings.delete() && !implied) {
                    steps.take(new Step.Remove(theirs));
                }
            } else if (!ours.isDirectory() && !isSame(ours, theirs)) {
                steps.take(new Step.Copy(ours, theirs != null));
            }
        }
        return unchanged.sum();
    }

    private boolean isSame(TreeEntry file, @Nullable TreeEntry copy) throws IOException {
        boolean same = copy != null && switch (comparison.look(file, copy)) {
            case SAME -> true;
            case DIFFERENT -> false;
            case UNKNOWN -> comparison.isSame(file, copy);
        };
        if (same) {
            unchanged.increment();
        }
        return same;
    }

    public SyncSummary run() throws IOException {
        var summary = compareAndCopy();
        removeDirectories();
        try (var copying = new TreeCopying(source, target, settings.copies(), observer)) {
            for (var file : postponed) {
                copying.add(file, file.path());
            }
            var all = summary.plus(copying.finish());
            if (all.failed() == 0) {
                target.complete();
            }
            return new SyncSummary(all, removed, unchanged.sum(), extra);
        }
    }

    private Summary compareAndCopy() throws IOException {
        try (var copying = new TreeCopying(source, target, settings.copies(), observer)) {
            if (target.keepsAttributes()) {
                target.makeDirectory("");
            }
            var pairs = new TreePairs(source, target, settings.taken());
            for (var pair = pairs.next(); pair != null; pair = pairs.next()) {
                check();
                if (pair.source() != null) {
                    take(pair.source(), pair.target(), copying);
                } else if (pair.target() != null) {
                    surplus(pair.target());
                }
            }
            comparing.acquireUninterruptibly(COMPARED_AT_ONCE);
            rethrow();
            flush();
            return copying.finish();
        }
    }

    private void take(TreeEntry file, @Nullable TreeEntry copy, TreeCopying copying) throws IOException {
        if (file.isDirectory()) {
            directory(file, copy, copying);
        } else if (copy == null && isInTheWay(file)) {
            postponed.add(file);
        } else if (copy == null) {
            copying.add(file, file.path());
        } else {
            switch (comparison.look(file, copy)) {
                case SAME -> same(file);
                case DIFFERENT -> copying.add(file, file.path());
                case UNKNOWN -> compare(file, copy, copying);
            }
        }
    }

    private void same(TreeEntry file) {
        unchanged.increment();
        observer.skipped(file.size());
    }

    private void directory(TreeEntry directory, @Nullable TreeEntry copy, TreeCopying copying) throws IOException {
        if (copy == null && target.keepsAttributes()) {
            flush();                     // a file of this name may be among them
            copying.add(directory, directory.path());
        }
    }

    /** Whether a directory is in the place of a file: it has to be removed first, with what is in it. */
    private boolean isInTheWay(TreeEntry file) throws IOException {
        return settings.delete() && target.keepsAttributes()
                && target.find(file.path()).filter(TreeEntry::isDirectory).isPresent();
    }

    /** Compares beside the listing, a limited number of files at a time. */
    private void compare(TreeEntry file, TreeEntry copy, TreeCopying copying) throws IOException {
        rethrow();
        comparing.acquireUninterruptibly();
        Thread.ofVirtual().name("compare").start(() -> {
            try {
                if (isReallySame(file, copy)) {
                    same(file);
                } else {
                    copying.add(file, file.path());
                }
            } catch (IOException failed) {
                failure.compareAndSet(null, failed);
            } finally {
                comparing.release();
            }
        });
    }

    /** A file that cannot be read is copied: that fails in the same way, and is reported. */
    private boolean isReallySame(TreeEntry file, TreeEntry copy) {
        try {
            return comparison.isSame(file, copy);
        } catch (IOException unreadable) {
            return false;
        }
    }

    private void rethrow() throws IOException {
        var failed = failure.get();
        if (failed != null) {
            throw failed;
        }
    }

    private void surplus(TreeEntry entry) throws IOException {
        if (!settings.delete()) {
            extra += entry.isDirectory() ? 0 : 1;
        } else if (entry.isDirectory() && !entry.isObject()) {
            directories.push(entry);
        } else {
            removals.add(entry);
            if (removals.size() == REMOVED_AT_ONCE) {
                flush();
            }
        }
    }

    private void flush() throws IOException {
        if (!removals.isEmpty()) {
            target.remove(removals);
            removed += removals.size();
            removals.clear();
        }
    }

    /** The innermost first. One that holds something that takes no part stays. */
    private void removeDirectories() throws IOException {
        for (var directory : directories) {
            check();
            if (target.find(directory.path()).isPresent() && target.children(directory.path()).next() == null) {
                target.remove(List.of(directory));
                removed++;
            }
        }
    }

    private void check() throws InterruptedIOException {
        if (observer.cancelled() || Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("cancelled");
        }
    }
}
