package volsh.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.Vfs;

/** The operations on names in a volume that checkpoints need. */
final class Tree {
    private static final int PAGE = 500;
    private static final int LARGEST = 64 << 20;

    private final Vfs vfs;
    private final Owner owner;

    Tree(Vfs vfs, Owner owner) {
        this.vfs = vfs;
        this.owner = owner;
    }

    Optional<Attributes> find(long directory, String name) throws IOException {
        try {
            return Optional.of(vfs.lookup(directory, Name.of(name)));
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_ENTRY) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    /** The directory, created if it does not exist. */
    long directory(long parent, String name, int mode) throws IOException {
        try {
            return vfs.makeDirectory(parent, Name.of(name), mode, owner).ino();
        } catch (FsException refused) {
            if (refused.error() != FsError.EXISTS) {
                throw refused;
            }
            return vfs.lookup(parent, Name.of(name)).ino();
        }
    }

    List<DirectoryEntry> entries(long directory) throws IOException {
        var all = new ArrayList<DirectoryEntry>();
        List<DirectoryEntry> page;
        do {
            page = vfs.list(directory, all.isEmpty() ? null : all.getLast().name(), PAGE);
            all.addAll(page);
        } while (!page.isEmpty());
        return all;
    }

    /** Creates a file with these bytes, which survive power loss. */
    void write(long directory, String name, int mode, byte[] bytes) throws IOException {
        try (var file = vfs.create(directory, Name.of(name), mode, owner)) {
            var source = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
            for (long at = 0; source.hasRemaining();) {
                at += file.write(at, source);
            }
            file.fsync();
        }
    }

    byte[] read(Attributes attributes) throws IOException {
        if (attributes.size() > LARGEST) {
            throw new IOException("file too large for a manifest");
        }
        var bytes = ByteBuffer.allocateDirect((int) attributes.size());
        try (var file = vfs.open(attributes.ino())) {
            while (bytes.hasRemaining() && file.read(bytes.position(), bytes) > 0) {
                // until it is complete
            }
        }
        var copy = new byte[bytes.flip().remaining()];
        bytes.get(copy);
        return copy;
    }
}
