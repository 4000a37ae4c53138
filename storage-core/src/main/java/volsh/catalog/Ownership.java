package volsh.catalog;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.MissingStoreException;
import volsh.block.NoSuchBlockException;
import volsh.catalog.Refusal.Reason;

/**
 * The mark that names the owner of a part of a store: an object with the volume's id. Two volumes never share a part.
 */
public final class Ownership {
    public static final BlockKey MARK = new BlockKey("owner");
    private static final int LONGEST = 64;

    private Ownership() {}

    /** @throws Refusal CONFLICT if something is where this volume's part will be */
    public static void requireFree(BlockStore store, VolumeSpec spec, String name) throws IOException {
        try (var there = store.list("")) {
            if (there.findAny().isPresent()) {
                throw new Refusal(Reason.CONFLICT,
                        "store '%s' has objects below %s already".formatted(name, spec.prefix()));
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /** Marks a free part as this volume's. */
    public static void claim(BlockStore store, VolumeSpec spec) throws IOException {
        store.put(MARK, ByteBuffer.wrap(spec.id().toString().getBytes(StandardCharsets.US_ASCII)));
    }

    /** Removes this volume's mark; another's stays. */
    public static void giveUp(BlockStore store, VolumeSpec spec) throws IOException {
        try {
            if (mark(store).equals(spec.id().toString())) {
                store.delete(MARK);
            }
        } catch (NoSuchBlockException none) {
            return;
        }
    }

    /** Whether there is a mark, of any volume. */
    public static boolean isMarked(BlockStore store) throws IOException {
        try {
            return !mark(store).isEmpty();
        } catch (NoSuchBlockException none) {
            return false;
        }
    }

    private static String mark(BlockStore store) throws IOException {
        var mark = ByteBuffer.allocate(LONGEST);
        try {
            store.get(MARK, 0, mark);
        } catch (MissingStoreException missing) {
            if (missing.isWhole()) {
                throw missing;
            }
            throw new NoSuchBlockException(MARK);
        }
        return new String(mark.array(), 0, mark.position(), StandardCharsets.US_ASCII);
    }

    /** @throws Refusal UNAVAILABLE if there is no mark, CONFLICT if it is another's */
    public static void require(BlockStore store, VolumeSpec spec) throws IOException {
        require(store, spec, spec.store());
    }

    /** The same for the volume's part of the store of this name. */
    public static void require(BlockStore store, VolumeSpec spec, String name) throws IOException {
        String found;
        try {
            found = mark(store);
        } catch (NoSuchBlockException none) {
            throw new Refusal(Reason.UNAVAILABLE,
                    "store '%s' has no data of volume '%s': is it mounted, and the right place?"
                            .formatted(name, spec.name()),
                    "volsh store show " + name);
        }
        if (!found.equals(spec.id().toString())) {
            throw new Refusal(Reason.CONFLICT,
                    "store '%s' holds another volume (%s) where '%s' should be"
                            .formatted(name, found, spec.name()));
        }
    }
}
