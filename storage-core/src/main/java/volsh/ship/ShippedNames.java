package volsh.ship;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.block.PutsOnce;
import volsh.block.RefusedException;

/**
 * The names of a volume's shipped objects in its store. A log is named after its first change, a base after the change
 * it begins after, so that everything has one place, and the second of two writers finds it taken.
 */
record ShippedNames(BlockStore store) {
    static final String ALL = "meta/";
    static final String LOGS = "meta/log/";
    static final String BASES = "meta/base/";
    static final String PARTS = "meta/part/";
    static final String ALIVE = "meta/alive/";

    private static final int FIRST_READ = 256 << 10;

    static BlockKey log(long first) {
        return new BlockKey(LOGS + hex(first));
    }

    static BlockKey base(long start) {
        return new BlockKey(BASES + hex(start));
    }

    /** The name of a part of a base: distinct from those of an unfinished base that began at the same change. */
    static BlockKey part(long start, String attempt, long number) {
        return new BlockKey("%s%s-%s/%s".formatted(PARTS, hex(start), attempt, hex(number)));
    }

    /** The number in the name of an object. */
    static long number(BlockKey key) throws DamagedShipmentException {
        String text = key.text();
        int from = text.indexOf('/', ALL.length()) + 1;
        try {
            return Long.parseUnsignedLong(text, from, from + 16, 16);
        } catch (IndexOutOfBoundsException | NumberFormatException foreign) {
            throw new DamagedShipmentException(key, "its name is not one of volsh");
        }
    }

    static String hex(long number) {
        return "%016x".formatted(number);
    }

    /** The whole object. @throws NoSuchBlockException if there is none */
    byte[] read(BlockKey key) throws IOException {
        var buffer = ByteBuffer.allocate(FIRST_READ);
        while (true) {
            store.get(key, buffer.position(), buffer);
            if (buffer.hasRemaining()) {
                return Arrays.copyOf(buffer.array(), buffer.position());
            }
            buffer = ByteBuffer.allocate(buffer.capacity() * 4).put(buffer.flip());
        }
    }

    void put(BlockKey key, byte[] bytes) throws IOException {
        store.put(key, ByteBuffer.wrap(bytes));
    }

    /** Returns whether these bytes are there now. */
    boolean putIfAbsent(BlockKey key, byte[] bytes) throws IOException {
        return PutsOnce.of(store).putIfAbsent(key, ByteBuffer.wrap(bytes));
    }

    /**
     * @throws RefusedException if the store cannot separate two hosts: it overwrites an object despite If-None-Match
     */
    void requireDecisive() throws IOException {
        if (store instanceof Replicas several) {
            several.each(each -> new ShippedNames(each).requireDecisive());
            return;
        }
        var key = new BlockKey("%sprobe-%s".formatted(ALIVE, UUID.randomUUID()));
        boolean first = putIfAbsent(key, new byte[] {1});
        boolean second = putIfAbsent(key, new byte[] {2});
        delete(List.of(key));
        if (!first || second) {
            throw new RefusedException(RefusedException.Reason.WRONG_SETTINGS,
                    "metadata cannot be shipped to this store: it ignores conditional writes"
                            + " (If-None-Match), so that two hosts could overwrite each other's metadata"
                            + " (add the store with --no-conditional-put, or use --ship-metadata off)");
        }
    }

    boolean exists(BlockKey key) throws IOException {
        try {
            store.get(key, 0, ByteBuffer.allocate(1));
            return true;
        } catch (NoSuchBlockException none) {
            return false;
        }
    }

    /** The objects below a prefix, in order. */
    List<BlockStore.Listed> list(String prefix) throws IOException {
        try (var listed = store.list(prefix)) {
            return new ArrayList<>(listed.toList());
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    void delete(List<BlockKey> keys) throws IOException {
        if (!keys.isEmpty()) {
            store.deleteAll(keys);
        }
    }
}
