package volsh.checkpoint;

import java.io.IOException;
import java.util.Optional;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.transfer.Copying;
import volsh.transfer.Observer;
import volsh.vfs.Paths;
import volsh.vfs.Vfs;

/**
 * Copies within a volume without moving bytes: the copy shares the blocks, and either may change independently. It
 * appears whole or not at all.
 */
final class Cloning {
    private final Vfs vfs;
    private final Owner owner;
    private final int parallel;
    private final Observer observer;
    private final Tree tree;
    private final Workplace workplace;

    Cloning(Vfs vfs, Owner owner, int parallel, Observer observer) {
        this.vfs = vfs;
        this.owner = owner;
        this.parallel = parallel;
        this.observer = observer;
        this.tree = new Tree(vfs, owner);
        this.workplace = new Workplace(vfs, tree);
    }

    /** Makes {@code path} of the volume a copy of a directory, without its manifest. */
    void restore(Attributes source, String path, boolean replace) throws IOException {
        String text = path.replaceAll("/+$", "");
        int cut = text.lastIndexOf('/');
        if (cut < 0 || text.length() == cut + 1) {
            throw new Refusal(Reason.INVALID,
                    "%s cannot be replaced: give an absolute path in the volume, such as /resume".formatted(path));
        }
        long parent = new Paths(vfs).resolve(cut == 0 ? "/" : text.substring(0, cut)).ino();
        var name = Name.of(text.substring(cut + 1));
        var there = tree.find(parent, name.toString());
        requireRoom(path, there, replace);
        long place = workplace.directory();
        var draft = Name.of(Workplace.fresh());
        long directory = vfs.makeDirectory(place, draft, source.mode(), owner).ino();
        try {
            fill(path, source, directory);
            if (tree.find(directory, Manifest.NAME).isPresent()) {
                vfs.unlink(directory, Name.of(Manifest.NAME));
            }
            vfs.sync();
            appear(place, draft, parent, name, there.isPresent());
            vfs.sync();
        } finally {
            if (tree.find(place, draft.toString()).isPresent()) {
                workplace.remove(place, draft, Observer.NONE);   // what was replaced, or what was not completed
            }
        }
    }

    private void requireRoom(String path, Optional<Attributes> there, boolean replace) throws IOException {
        if (there.isPresent() && !there.get().isDirectory()) {
            throw new Refusal(Reason.CONFLICT, "%s is a file, not a directory".formatted(path));
        }
        if (there.isPresent() && !replace && !vfs.list(there.get().ino(), null, 1).isEmpty()) {
            throw new Refusal(Reason.CONFLICT, "%s is not empty".formatted(path))
                    .detail("use --force to replace its contents");
        }
    }

    private void appear(long place, Name draft, long parent, Name name, boolean replaces) throws IOException {
        try {
            vfs.rename(place, draft, parent, name, replaces ? RenameMode.EXCHANGE : RenameMode.NO_REPLACE);
        } catch (FsException refused) {
            if (refused.error() == FsError.EXISTS) {
                throw new Refusal(Reason.CONFLICT, "%s was created meanwhile".formatted(name));
            }
            throw refused;
        }
    }

    /** Copies a file, or the entries of a directory. */
    void fill(String shown, Attributes source, long directory) throws IOException {
        try (var copying = new Copying(vfs, vfs, parallel, observer)) {
            copying.addContents(shown, source, directory);
            finish(copying);
        }
    }

    void fill(String shown, Attributes source, long directory, Name name) throws IOException {
        try (var copying = new Copying(vfs, vfs, parallel, observer)) {
            copying.add(shown, source, directory, name);
            finish(copying);
        }
    }

    private static void finish(Copying copying) throws IOException {
        if (copying.finish().failed() > 0) {
            throw new IOException("some files could not be copied; nothing was copied");
        }
    }
}
