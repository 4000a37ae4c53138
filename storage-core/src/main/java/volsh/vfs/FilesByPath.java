package volsh.vfs;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.chunk.FileState;
import volsh.engine.StateMark;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.NewFile;
import volsh.fs.Owner;
import volsh.meta.PathLookup;

/**
 * Finds files by their whole path with one read of the metadata, and makes small ones with one change, for programs
 * that open each file once.
 */
public final class FilesByPath {
    private final Vfs vfs;
    private final PathLookup lookup;

    /**
     * What a path leads to; {@code attribute} is empty if it is not set.
     *
     * @param mark of the state that it was read from; null if that cannot be told
     */
    public record Found(Attributes attributes, Optional<byte[]> attribute, Optional<byte[]> bytes,
            @Nullable StateMark mark) {}

    public FilesByPath(Vfs vfs) {
        this.vfs = vfs;
        this.lookup = new PathLookup(vfs.names());
    }

    /**
     * What a path leads to, with this extended attribute; links are not followed. The bytes are there if the metadata
     * has them and none are unwritten; otherwise they are read by opening the file.
     */
    public Optional<Found> find(List<Name> path, byte[] attribute) throws IOException {
        long commits = vfs.chunks().commits();
        var before = lookup.mark();
        var found = lookup.find(path, attribute, vfs.inlineMax());
        if (found.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(settled(found.get(), commits, before != null && before.equals(lookup.mark()) ? before
                : null));
    }

    /** Whether {@link #find} would find the same: nothing was committed since by any process, nor is unwritten here. */
    public boolean isCurrent(Found found) throws IOException {
        return found.mark() != null
                && vfs.chunks().pending(found.attributes().ino()).equals(FileState.Pending.NOTHING)
                && found.mark().equals(lookup.mark());
    }

    private Found settled(PathLookup.Found known, long commits, @Nullable StateMark mark) throws IOException {
        long ino = known.attributes().ino();
        boolean settled = vfs.chunks().pending(ino).equals(FileState.Pending.NOTHING)
                && vfs.chunks().commits() == commits;
        if (!settled) {
            return new Found(vfs.attributes(ino), Optional.ofNullable(known.attribute()), Optional.empty(), null);
        }
        vfs.chunks().saw(known.attributes());
        return new Found(known.attributes(), Optional.ofNullable(known.attribute()), known.bytes(), mark);
    }

    /** The directory that a path leads to; empty if it leads nowhere, or to something else. */
    public Optional<Long> directory(List<Name> path) throws IOException {
        return lookup.entry(path).filter(entry -> entry.kind() == FileKind.DIRECTORY).map(DirectoryEntry::ino);
    }

    /**
     * Makes a file of at most {@link Vfs#inlineMax} bytes with its name and an extended attribute, in one step.
     *
     * @throws FsException EXISTS if it must be new, IS_DIRECTORY, NO_ENTRY if the directory is gone
     */
    public void create(long parent, Name name, Owner owner, byte[] bytes, NewFile.Attribute attribute, boolean onlyNew)
            throws IOException {
        var made = new NewFile(parent, name, 0644, owner, NewFile.NOW, NewFile.NOW,
                bytes.length == 0 ? Optional.empty() : Optional.of(bytes), Optional.empty(), onlyNew,
                Optional.of(attribute));
        var refused = vfs.names().createAll(List.of(made), Optional.empty()).getFirst();
        if (refused.isPresent()) {
            throw new FsException(refused.get());
        }
    }

    /** This extended attribute of those inodes that have it. */
    public Map<Long, byte[]> attributes(List<Long> inos, byte[] attribute) throws IOException {
        return lookup.attributes(inos, attribute);
    }
}
