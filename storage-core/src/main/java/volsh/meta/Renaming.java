package volsh.meta;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.RenameMode;

/**
 * One rename within one change. Moving a directory to another parent writes the guard key, so no two such moves run
 * concurrently and the walk up from the new parent proves that no cycle can arise.
 */
final class Renaming {
    private static final int DEPTH_MAX = 400;

    private final Edit edit;
    private final long parent;
    private final Name name;
    private final long newParent;
    private final Name newName;

    Renaming(Edit edit, long parent, Name name, long newParent, Name newName) {
        this.edit = edit;
        this.parent = parent;
        this.name = name;
        this.newParent = newParent;
        this.newName = newName;
    }

    /** Returns the directory that was replaced, if one was. */
    Optional<Attributes> run(RenameMode mode) throws IOException {
        edit.directory(parent);
        if (newParent != parent) {
            edit.directory(newParent);
        }
        var source = edit.entry(parent, name);
        var target = edit.find(newParent, newName);
        if (mode == RenameMode.NO_REPLACE && target != null) {
            throw new FsException(FsError.EXISTS);
        }
        if (mode == RenameMode.EXCHANGE && target == null) {
            throw new FsException(FsError.NO_ENTRY);
        }
        guardCycles(mode, source, target);
        if (target != null && target.ino() == source.ino()) {
            return Optional.empty();   // two names of one file: POSIX requires a no-op
        }
        requireSameProject(mode, source, target);
        edit.holdDirectory(parent);
        edit.holdDirectory(newParent);
        if (mode == RenameMode.EXCHANGE && target != null) {
            exchange(source, target);
            return Optional.empty();
        }
        requireSameKind(source, target);
        return move(source, target);
    }

    /** Moving out of a project is refused: callers copy instead. @throws FsException CROSS_DEVICE */
    private void requireSameProject(RenameMode mode, DirectoryEntry source, @Nullable DirectoryEntry target)
            throws IOException {
        if (newParent == parent) {
            return;
        }
        boolean stays = edit.node(source.ino()).project() == edit.directory(newParent).project()
                && (target == null || mode != RenameMode.EXCHANGE
                        || edit.node(target.ino()).project() == edit.directory(parent).project());
        if (!stays) {
            throw new FsException(FsError.CROSS_DEVICE);
        }
    }

    private void requireSameKind(DirectoryEntry source, @Nullable DirectoryEntry target) throws IOException {
        if (target == null) {
            return;
        }
        boolean overDirectory = target.kind() == FileKind.DIRECTORY;
        if (overDirectory == (source.kind() == FileKind.DIRECTORY)) {
            return;
        }
        if (overDirectory) {   // Linux reports this even for a file: a directory that contains it is not empty
            refuseBelow(target.ino(), parent, FsError.NOT_EMPTY);
        }
        throw new FsException(overDirectory ? FsError.IS_DIRECTORY : FsError.NOT_DIRECTORY);
    }

    private void guardCycles(RenameMode mode, DirectoryEntry source, @Nullable DirectoryEntry target)
            throws IOException {
        if (newParent == parent) {
            return;
        }
        boolean moves = false;
        if (source.kind() == FileKind.DIRECTORY) {
            refuseBelow(source.ino(), newParent, FsError.INVALID);
            moves = true;
        }
        if (mode == RenameMode.EXCHANGE && target != null && target.kind() == FileKind.DIRECTORY) {
            refuseBelow(target.ino(), parent, FsError.INVALID);
            moves = true;
        }
        if (moves) {
            edit.tx.get(Keys.GUARD);
            edit.tx.put(Keys.GUARD, new byte[0]);
        }
    }

    /** @throws FsException with this error if {@code place} is {@code directory} or lies below it */
    private void refuseBelow(long directory, long place, FsError error) throws IOException {
        int depth = 0;
        for (long at = place; at != Namespace.ROOT; at = edit.directory(at).parent()) {
            if (at == directory) {
                throw new FsException(error, "a directory cannot be moved into itself");
            }
            if (++depth > DEPTH_MAX) {
                throw new FsException(FsError.NAME_TOO_LONG,
                        "directories are nested too deeply: more than " + DEPTH_MAX);
            }
        }
        if (directory == Namespace.ROOT) {
            throw new FsException(FsError.BUSY, "the root directory cannot be moved");
        }
    }

    private Optional<Attributes> move(DirectoryEntry source, @Nullable DirectoryEntry target) throws IOException {
        var replaced = target == null ? Optional.<Attributes>empty() : replace(target);
        edit.keepLast(parent, source);
        edit.remove(Keys.entry(parent, name));
        place(source, newParent, newName);
        int directories = source.kind() == FileKind.DIRECTORY ? 1 : 0;
        if (newParent == parent) {
            edit.count(parent, 0, 0);
        } else {
            edit.count(parent, -1, -directories);
            edit.count(newParent, 1, directories);
        }
        return replaced;
    }

    private Optional<Attributes> replace(DirectoryEntry target) throws IOException {
        var removal = new Removal(edit);
        if (target.kind() == FileKind.DIRECTORY) {
            removal.requireEmptyDirectory(target);
            var last = edit.attributes(target.ino(), edit.node(target.ino()));
            edit.keepLast(newParent, target);
            removal.dropDirectory(target.ino());
            edit.count(newParent, -1, -1);
            return Optional.of(last);
        }
        removal.replace(newParent, target);
        edit.count(newParent, -1, 0);
        return Optional.empty();
    }

    private void exchange(DirectoryEntry source, DirectoryEntry target) throws IOException {
        edit.keepLast(parent, source);
        edit.keepLast(newParent, target);
        place(source, newParent, newName);
        place(target, parent, name);
        int shift = (source.kind() == FileKind.DIRECTORY ? 1 : 0) - (target.kind() == FileKind.DIRECTORY ? 1 : 0);
        edit.count(parent, 0, newParent == parent ? 0 : -shift);
        if (newParent != parent) {
            edit.count(newParent, 0, shift);
        }
    }

    private void place(DirectoryEntry entry, long directory, Name as) throws IOException {
        edit.put(Keys.entry(directory, as), View.entryRow(entry.ino(), entry.kind()));
        edit.putNode(entry.ino(), edit.node(entry.ino()).withParent(directory).withCtime(edit.now));
    }
}
