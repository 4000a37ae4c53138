package volsh.transfer;

import java.io.IOException;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.vfs.Vfs;

/**
 * Removes files and trees of a volume, children before their parents. Another process may remove the same tree at the
 * same time. Where metadata is damaged the rest is removed, and the directories on the way to the damage stay.
 */
public final class Removing {
    private final Vfs vfs;
    private final TransferTally tally;

    public Removing(Vfs vfs, Observer observer) {
        this.vfs = vfs;
        this.tally = new TransferTally(observer);
    }

    /** Removes a file, or a directory with everything in it. */
    public void tree(long parent, Name name, Attributes what) throws IOException {
        if (!what.isDirectory()) {
            file(parent, name, what);
            return;
        }
        new TreeWalk(vfs).below(what.ino(), new TreeWalk.Visitor() {
            @Override
            public boolean visit(Trail.Found found) throws IOException {
                tally.check();
                if (!found.attributes().isDirectory()) {
                    file(found.parent(), found.name(), found.attributes());
                }
                return true;
            }

            @Override
            public void leave(Trail.Found directory, boolean whole) throws IOException {
                if (whole) {
                    directory(directory.parent(), directory.name());
                }
            }
        });
        directory(parent, name);
    }

    private void file(long parent, Name name, Attributes what) throws IOException {
        if (gone(() -> vfs.unlink(parent, name))) {
            tally.file(what.isRegular() && what.links() == 1 ? what.size() : 0);
        }
    }

    private void directory(long parent, Name name) throws IOException {
        if (gone(() -> vfs.removeDirectory(parent, name))) {
            tally.directory();
        }
    }

    /** Runs a removal; false if the file was already gone. */
    private static boolean gone(TransferThreads.Task removal) throws IOException {
        try {
            removal.run();
            return true;
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_ENTRY) {
                return false;
            }
            throw refused;
        }
    }

    public Summary summary() {
        return tally.summary();
    }
}
