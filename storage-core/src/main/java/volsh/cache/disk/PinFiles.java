package volsh.cache.disk;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import volsh.cache.FrameKey;
import volsh.disk.Disk;

/**
 * The files with the pins of a cached volume: one per pin, which is there whole or not at all and survives power loss.
 * A damaged one is ignored.
 *
 * <pre>
 *   magic 4 | drops 4 | created 8 | expires 8 (0: never) | path length 4 | blocks 4 | path | (block 8, bytes 4) ...
 *   | checksum 4
 * </pre>
 */
final class PinFiles {
    private static final Logger LOG = System.getLogger("volsh.cache");
    private static final int MAGIC = 0x76637031;   // "vcp1"
    private static final int HEAD = 32;
    private static final int ENTRY = 12;
    private static final String ENDING = ".pin";
    private static final long LONGEST = 1L << 30;

    private final Disk disk;
    private final Path directory;

    /** For the cached volume with its files below this root. */
    PinFiles(Disk disk, Path root) {
        this.disk = disk;
        this.directory = root.resolve("pins");
    }

    /** All readable pins, oldest first. */
    List<Pin> load() throws IOException {
        var found = new ArrayList<Pin>();
        for (var file : disk.list(directory)) {
            if (file.name().endsWith(ENDING)) {
                read(directory.resolve(file.name())).ifPresent(found::add);
            }
        }
        found.sort(Comparator.comparing(Pin::created).thenComparing(Pin::path));
        return List.copyOf(found);
    }

    private Optional<Pin> read(Path path) throws IOException {
        try (var file = disk.open(path)) {
            if (file.size() > LONGEST) {
                throw new IOException("file is too long");
            }
            var bytes = ByteBuffer.allocate((int) file.size());
            file.read(bytes, 0);
            return Optional.of(parse(bytes.flip()));
        } catch (NoSuchFileException removedMeanwhile) {
            return Optional.empty();
        } catch (IOException | RuntimeException damaged) {
            LOG.log(Level.WARNING,
                    "the pin in %s cannot be read and is ignored: %s".formatted(path, damaged.getMessage()));
            return Optional.empty();
        }
    }

    void put(Pin pin) throws IOException {
        disk.makeDirectories(directory);
        var unfinished = directory.resolve(name(pin.path()) + ".new");
        disk.delete(unfinished);
        try (var file = disk.create(unfinished)) {
            file.write(bytes(pin), 0);
            file.sync();
        }
        disk.rename(unfinished, directory.resolve(name(pin.path()) + ENDING));
        disk.syncDirectory(directory);
    }

    void remove(Pin pin) throws IOException {
        disk.delete(directory.resolve(name(pin.path()) + ENDING));
        disk.syncDirectory(directory);
    }

    /** The file name of a path: a new pin of the path replaces the old one. */
    private static String name(String path) {
        long mixed = 1;
        for (byte each : path.getBytes(StandardCharsets.UTF_8)) {
            mixed = new FrameKey(mixed, each).mixed();
        }
        return HexFormat.of().toHexDigits(mixed);
    }

    private static ByteBuffer bytes(Pin pin) {
        var path = pin.path().getBytes(StandardCharsets.UTF_8);
        var bytes = ByteBuffer.allocate(HEAD + path.length + ENTRY * pin.blocks().count() + Integer.BYTES);
        bytes.putInt(MAGIC).putInt(pin.drops() ? 1 : 0).putLong(pin.created().toEpochMilli())
                .putLong(pin.expires().map(Instant::toEpochMilli).orElse(0L)).putInt(path.length)
                .putInt(pin.blocks().count()).put(path);
        pin.blocks().forEach((block, size) -> bytes.putLong(block).putInt(size));
        return bytes.putInt(BlockFile.checksum(bytes.duplicate().flip())).flip();
    }

    private static Pin parse(ByteBuffer bytes) throws IOException {
        int end = bytes.limit() - Integer.BYTES;
        if (end < HEAD || bytes.getInt(end) != BlockFile.checksum(bytes.slice(0, end)) || bytes.getInt() != MAGIC) {
            throw new IOException("it is damaged");
        }
        try {
            boolean drops = bytes.getInt() == 1;
            var created = Instant.ofEpochMilli(bytes.getLong());
            long expires = bytes.getLong();
            var path = new byte[bytes.getInt()];
            int count = bytes.getInt();
            bytes.get(path);
            var blocks = new BlockSet.Builder();
            for (int i = 0; i < count; i++) {
                blocks.add(bytes.getLong(), bytes.getInt());
            }
            return new Pin(new String(path, StandardCharsets.UTF_8), created,
                    expires == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(expires)), drops,
                    blocks.build());
        } catch (BufferUnderflowException cut) {
            throw new IOException("it is damaged", cut);
        }
    }
}
