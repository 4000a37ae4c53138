package volsh.dataset;

import java.io.IOException;
import java.nio.ByteBuffer;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/** A file of a volume without a name, which a commit gives it. Nothing is left of it after a crash. */
final class VolumePendingFile extends PendingFile {
    private static final int BUFFER = 1 << 20;
    private static final int MODE = 0644;

    private final Vfs vfs;
    private final long directory;
    private final Name name;
    private final OpenFile file;
    private long length;
    private boolean committed;

    VolumePendingFile(Vfs vfs, long directory, Name name, String shown, Owner owner) throws IOException {
        super(shown, BUFFER);
        this.vfs = vfs;
        this.directory = directory;
        this.name = name;
        this.file = vfs.createUnnamed(directory, MODE, owner);
    }

    @Override
    void write(ByteBuffer bytes) throws IOException {
        length += file.write(length, bytes);
    }

    @Override
    void place() throws IOException {
        vfs.place(file, directory, name);
        committed = true;
    }

    /** What will have no name need not be stored first. */
    @Override
    public void close() throws IOException {
        try (file) {
            if (!committed) {
                file.truncate(0);
            }
        }
    }
}
