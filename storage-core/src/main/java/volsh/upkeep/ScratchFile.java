package volsh.upkeep;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A temporary file without a name, so that a killed process leaves nothing behind. */
final class ScratchFile {
    private ScratchFile() {}

    static FileChannel open(Path directory) throws IOException {
        var path = Files.createTempFile(directory, ".scratch", null);
        try {
            return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } finally {
            Files.delete(path);
        }
    }
}
