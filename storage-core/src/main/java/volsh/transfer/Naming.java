package volsh.transfer;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.vfs.Vfs;

/** Makes links, nodes and directories where a file may already exist. Files are replaced in one step. */
public final class Naming {
    private final Vfs vfs;

    public Naming(Vfs vfs) {
        this.vfs = vfs;
    }

    private interface Making<T> {
        T make(Name name) throws IOException;
    }

    /** Makes a symbolic link, replacing any file but a directory. */
    public Attributes symlink(long parent, Name name, byte[] target, Owner owner) throws IOException {
        return replacing(parent, name, free -> vfs.makeSymlink(parent, free, target, owner));
    }

    /** Makes a fifo, socket or device like the other, replacing any file but a directory. */
    Attributes node(long parent, Name name, Attributes like) throws IOException {
        var owner = new Owner(like.uid(), like.gid());
        return replacing(parent, name,
                free -> vfs.makeNode(parent, free, like.kind(), like.mode(), owner, like.device()));
    }

    /** Gives a file another name, replacing any other file but a directory. */
    public void link(long ino, long parent, Name name) throws IOException {
        replacing(parent, name, free -> vfs.link(ino, parent, free));
    }

    /** A directory, and whether it is new. */
    record Folder(long ino, boolean created) {}

    /** Makes the directory unless it exists. @throws FsException NOT_DIRECTORY if another kind of file has the name */
    Folder directory(long parent, Name name, int mode, Owner owner) throws IOException {
        try {
            return new Folder(vfs.makeDirectory(parent, name, mode, owner).ino(), true);
        } catch (FsException refused) {
            if (refused.error() != FsError.EXISTS) {
                throw refused;
            }
            var there = vfs.lookup(parent, name);
            if (!there.isDirectory()) {
                throw new FsException(FsError.NOT_DIRECTORY, "a file has the name of the directory");
            }
            return new Folder(there.ino(), false);
        }
    }

    private Attributes replacing(long parent, Name name, Making<Attributes> making) throws IOException {
        try {
            return making.make(name);
        } catch (FsException refused) {
            if (refused.error() != FsError.EXISTS) {
                throw refused;
            }
            if (vfs.lookup(parent, name).isDirectory()) {
                throw new FsException(FsError.IS_DIRECTORY);
            }
            return replace(parent, name, making);
        }
    }

    /**
     * Makes it under a temporary name, then renames it; a rename onto another name of the same file leaves both, so the
     * first is removed.
     */
    private Attributes replace(long parent, Name name, Making<Attributes> making) throws IOException {
        var temporary = Name.of(".volsh-%016x".formatted(ThreadLocalRandom.current().nextLong()));
        var made = making.make(temporary);
        try {
            vfs.rename(parent, temporary, parent, name, RenameMode.REPLACE);
        } catch (IOException | RuntimeException failed) {
            vfs.unlink(parent, temporary);
            throw failed;
        }
        if (vfs.lookup(parent, name).ino() == made.ino() && made.links() > 1) {
            unlinkIfThere(parent, temporary);
        }
        return made;
    }

    private void unlinkIfThere(long parent, Name name) throws IOException {
        try {
            vfs.unlink(parent, name);
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
        }
    }
}
