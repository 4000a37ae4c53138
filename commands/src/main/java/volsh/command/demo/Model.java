package volsh.command.demo;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import volsh.command.Cancellation;

/** A model to save checkpoints of: a file of numbers, of which training changes a part. Always the same. */
final class Model {
    private static final int BYTES = 8 << 20;
    private static final int CHANGED = 512 << 10;

    private Model() {}

    /** Makes the model in this new directory. @return its file */
    static Path make(Path directory, Cancellation cancellation) throws IOException {
        cancellation.check();
        return Files.write(Files.createDirectories(directory).resolve("model.pt"), noise(1, BYTES));
    }

    static void train(Path model) throws IOException {
        try (var file = new RandomAccessFile(model.toFile(), "rw")) {
            file.seek(BYTES / 2);
            file.write(noise(2, CHANGED));
        }
    }

    private static byte[] noise(long seed, int length) {
        var bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
