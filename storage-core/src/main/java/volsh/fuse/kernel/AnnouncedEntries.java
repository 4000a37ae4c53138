package volsh.fuse.kernel;

import java.util.concurrent.atomic.AtomicLongArray;
import volsh.fs.Attributes;

/**
 * Remembers which versions of files the kernel has recently been sent the attributes of. May forget, but never claims
 * wrongly that the kernel knows a version. A slot holds the fingerprint of an inode and its version.
 */
final class AnnouncedEntries {
    private static final int SLOTS = 1 << 16;

    private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

    void add(Attributes attributes) {
        if (attributes.isRegular()) {
            slots.setOpaque(slot(attributes), fingerprint(attributes));
        }
    }

    boolean contains(Attributes attributes) {
        return slots.getOpaque(slot(attributes)) == fingerprint(attributes);
    }

    private static int slot(Attributes attributes) {
        return (int) attributes.ino() & SLOTS - 1;
    }

    private static long fingerprint(Attributes attributes) {
        long mixed = attributes.ino() * 0x9e3779b97f4a7c15L + attributes.version();
        mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
        return mixed ^ mixed >>> 29;
    }
}
