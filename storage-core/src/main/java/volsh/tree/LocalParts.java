package volsh.tree;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * Which parts of an unfinished file are written: a line for each, with its checksum, in a file beside it. A part counts
 * only if its bytes have that checksum when they are read again, whatever the disk has lost.
 */
final class LocalParts implements AutoCloseable {
    private static final Pattern LINE = Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\d{1,10})");

    private final Map<Long, Part> parts = new ConcurrentHashMap<>();
    private final Path list;
    private final FileChannel log;

    private record Part(long length, long crc) {}

    LocalParts(Path list, FileChannel log) throws IOException {
        this.list = list;
        this.log = log;
        for (String line : Files.readAllLines(list, StandardCharsets.ISO_8859_1)) {
            var part = LINE.matcher(line);
            if (part.matches()) {
                parts.put(Long.valueOf(part.group(1)), new Part(Long.parseLong(part.group(2)),
                        Long.parseLong(part.group(3))));
            }
        }
        log.position(log.size());
    }

    boolean isWritten(FileChannel file, long offset, long length) throws IOException {
        var part = parts.get(offset);
        if (part == null || part.length != length) {
            return false;
        }
        var crc = new CRC32C();
        var piece = ByteBuffer.allocateDirect((int) Math.min(length, 1 << 20));
        for (long at = offset, end = offset + length; at < end; ) {
            piece.clear().limit((int) Math.min(piece.capacity(), end - at));
            int count = file.read(piece, at);
            if (count < 0) {
                return false;
            }
            crc.update(piece.flip());
            at += count;
        }
        return crc.getValue() == part.crc;
    }

    synchronized void written(long offset, long length, long crc) throws IOException {
        var line = ByteBuffer.wrap("%d %d %d\n".formatted(offset, length, crc).getBytes(StandardCharsets.ISO_8859_1));
        while (line.hasRemaining()) {
            log.write(line);
        }
    }

    void remove() throws IOException {
        log.close();
        Files.deleteIfExists(list);
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
