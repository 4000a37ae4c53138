package volsh.dataset;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import volsh.transfer.LocalFiles;

/** A local file under a temporary name, which a commit renames. What a killed process left there is overwritten. */
final class LocalPendingFile extends PendingFile {
    private static final int BUFFER = 256 << 10;

    private final Path temporary;
    private final Path target;
    private final FileChannel channel;
    private boolean committed;

    LocalPendingFile(Path temporary, Path target) throws IOException {
        super(target.toString(), BUFFER);
        this.temporary = temporary;
        this.target = target;
        this.channel = FileChannel.open(temporary,
                StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
    }

    @Override
    void write(ByteBuffer bytes) throws IOException {
        channel.write(bytes);
    }

    @Override
    void place() throws IOException {
        channel.close();
        LocalFiles.requireReplaceable(target);
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        committed = true;
    }

    @Override
    public void close() throws IOException {
        channel.close();
        if (!committed) {
            Files.deleteIfExists(temporary);
        }
    }
}
