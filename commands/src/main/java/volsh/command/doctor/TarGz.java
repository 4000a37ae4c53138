package volsh.command.doctor;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.zip.GZIPOutputStream;
import volsh.shard.Field;
import volsh.shard.format.TarWriter;

/** Writes a compressed archive of texts, as tar reads them. */
final class TarGz implements AutoCloseable {
    private static final int MODE = 0600;

    private final OutputStream out;
    private final TarWriter tar;

    /** Creates a file that only this user can read. */
    TarGz(Path file, Instant time) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        this.out = new GZIPOutputStream(Files.newOutputStream(file, StandardOpenOption.WRITE));
        this.tar = new TarWriter(out, MODE, time.getEpochSecond());
    }

    void add(String name, String text) throws IOException {
        tar.add(name, Field.of(name, text.getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void close() throws IOException {
        try (out) {
            tar.finish();
        }
    }
}
