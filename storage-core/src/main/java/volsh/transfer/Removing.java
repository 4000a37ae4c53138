package volsh.transfer;

import java.io.IOException;
import volsh.fs.Attributes;
import volsh.fs.Name;
import volsh.vfs.Vfs;

/** Removes files and trees of a volume, children before their parents. */
public final class Removing {
    private final Vfs vfs;
    private final Tally tally;

    public Removing(Vfs vfs, Observer observer) {
        this.vfs = vfs;
        this.tally = new Tally(observer);
    }

    public void tree(long parent, Name name, Attributes what) throws IOException {
        if (!what.isDirectory()) {
            vfs.unlink(parent, name);
            tally.file();
            return;
        }
        new Walk(vfs).below(what.ino(), new Walk.Visitor() {
            @Override
            public boolean visit(Walk.Found found) throws IOException {
                tally.check();
                if (!found.attributes().isDirectory()) {
                    vfs.unlink(found.parent(), found.name());
                    tally.file();
                }
                return true;
            }

            @Override
            public void leave(Walk.Found directory) throws IOException {
                vfs.removeDirectory(directory.parent(), directory.name());
                tally.directory();
            }
        });
        vfs.removeDirectory(parent, name);
        tally.directory();
    }

    public Summary summary() {
        return tally.summary();
    }
}
