package volsh.tree;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Optional;
import volsh.block.Bandwidth;
import volsh.block.Pause;
import volsh.codec.CorruptBlockException;
import volsh.fs.DamagedException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.ImportChangedException;
import volsh.fs.NoSpaceException;
import volsh.object.NoSuchObjectException;
import volsh.transfer.Observer;
import volsh.transfer.Summary;
import volsh.transfer.TransferTally;

/**
 * Copies files from one tree to another, many at a time and large ones in parts. A file that cannot be copied is
 * reported, and the rest goes on; what would stop the next file, too, stops everything: a full disk, a bucket that
 * cannot be reached or refuses.
 */
public final class TreeCopying implements AutoCloseable {
    private final FileTree source;
    private final FileTree target;
    private final CopySettings settings;
    private final TransferTally tally;
    private final PartQueue queue;
    private final FileCopy copy;
    private final Copied copied;

    /** Is told of every file that is in the target, or was there before. Called from several threads. */
    public interface Copied {
        void done(TreeEntry file) throws IOException;
    }

    public TreeCopying(FileTree source, FileTree target, CopySettings settings, Observer observer) {
        this(source, target, settings, observer, file -> { });
    }

    public TreeCopying(
            FileTree source, FileTree target, CopySettings settings, Observer observer, Copied copied) {
        this.source = source;
        this.target = target;
        this.settings = settings;
        this.tally = new TransferTally(observer);
        this.queue = new PartQueue(settings.parallel());
        var limit = settings.limit().map(rate -> new Bandwidth(rate, Pause.REAL));
        this.copy = new FileCopy(source, target, settings, queue, tally, limit);
        this.copied = copied;
    }

    /** Everything below a directory of the source becomes what is below one of the target; both may be the places. */
    public void addBelow(String from, String to) throws IOException {
        if (target.keepsAttributes()) {
            target.makeDirectory(to);
            tally.directory();
        }
        var cursor = source.below(from);
        for (var entry = cursor.next(); entry != null; entry = cursor.next()) {
            tally.check();
            String rest = from.isEmpty() ? entry.path() : entry.path().substring(from.length() + 1);
            add(entry, to.isEmpty() ? rest : to + '/' + rest);
        }
    }

    /** A single entry, under this path of the target. */
    public void add(TreeEntry entry, String to) throws IOException {
        switch (entry.attributes().kind()) {
            case REGULAR -> queue.submit(() -> reporting(entry, () -> file(entry, to)));
            case DIRECTORY -> reporting(entry, () -> directory(to));
            case SYMLINK -> reporting(entry, () -> link(entry, to));
            default -> tally.failed(source.name(entry.path()), new IOException("not a file, directory or link"));
        }
    }

    private void directory(String to) throws IOException {
        if (target.keepsAttributes()) {
            target.makeDirectory(to);
        }
        tally.directory();
    }

    private void link(TreeEntry entry, String to) throws IOException {
        if (!target.keepsAttributes()) {
            throw new FileSystemException(source.name(entry.path()), null, "a bucket cannot hold links");
        }
        target.makeLink(to, source.target(entry));
        tally.file(0);
        copied.done(entry);
    }

    private void file(TreeEntry entry, String to) throws IOException {
        tally.check();
        if (settings.update() && isCurrent(entry, target.find(to))) {
            tally.skipped(entry.size());
        } else {
            copy.copy(entry, to);
        }
        copied.done(entry);
    }

    private boolean isCurrent(TreeEntry entry, Optional<TreeEntry> there) throws IOException {
        return there.isPresent() && there.get().isRegular() && there.get().size() == entry.size()
                && isAsOld(entry, there.get());
    }

    /** A copy in a bucket keeps the time of a file; the copy of an object is younger than the object. */
    private boolean isAsOld(TreeEntry entry, TreeEntry there) throws IOException {
        return target.keepsAttributes() || source.keepsAttributes()
                ? target.originalModified(there) == entry.modified() : there.modified() >= entry.modified();
    }

    private interface Step {
        void run() throws IOException;
    }

    private void reporting(TreeEntry entry, Step step) throws IOException {
        String name = source.name(entry.path());
        try {
            step.run();
        } catch (EntryChangedException | NoSuchObjectException | MismatchException changed) {
            tally.failed(name, changed);
        } catch (FileSystemException local) {
            if (NoSpaceException.isBehind(local)) {
                throw local;
            }
            boolean ofTarget = target instanceof LocalTree && local.getFile() != null;
            tally.failed(ofTarget ? local.getFile() : name, local);
        } catch (CorruptBlockException | DamagedException | ImportChangedException damaged) {
            tally.failed(name, damaged);
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_SPACE || refused.error() == FsError.QUOTA) {
                throw refused;
            }
            tally.refused(name, refused);
        }
    }

    /** Waits for all files; what was copied then survives power loss as far as the target promises. */
    public Summary finish() throws IOException {
        queue.finish();
        target.sync();
        return tally.summary();
    }

    /** Stops, if it is not finished. No file is left half written. */
    @Override
    public void close() {
        queue.close();
    }
}
