package volsh.command.doctor;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/** Writes an archive of texts, as tar reads them (ustar). */
final class TarGz implements AutoCloseable {
    private static final int BLOCK = 512;
    private static final int NAME_MAX = 100;

    private final OutputStream out;
    private final Instant time;

    /** Creates a file that only this user can read. */
    TarGz(Path file, Instant time) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        this.out = new GZIPOutputStream(Files.newOutputStream(file, StandardOpenOption.WRITE));
        this.time = time;
    }

    void add(String name, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] header = new byte[BLOCK];
        put(header, 0, name.length() > NAME_MAX ? name.substring(name.length() - NAME_MAX) : name);
        put(header, 100, "0000600\0");
        put(header, 108, "0000000\0");
        put(header, 116, "0000000\0");
        put(header, 124, String.format(Locale.ROOT, "%011o\0", bytes.length));
        put(header, 136, String.format(Locale.ROOT, "%011o\0", time.getEpochSecond()));
        put(header, 148, "        0");
        put(header, 257, "ustar\0" + "00");
        int sum = 0;
        for (byte each : header) {
            sum += each & 0xff;
        }
        put(header, 148, String.format(Locale.ROOT, "%06o\0 ", sum));
        out.write(header);
        out.write(bytes);
        out.write(new byte[(BLOCK - bytes.length % BLOCK) % BLOCK]);
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    @Override
    public void close() throws IOException {
        out.write(new byte[2 * BLOCK]);
        out.close();
    }
}
