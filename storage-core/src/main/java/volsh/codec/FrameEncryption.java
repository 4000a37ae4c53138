package volsh.codec;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.crypt.VolumeKey;

/**
 * Whether the frames of a volume are encrypted. Written frames are, if there is a key. Read frames have to be, too:
 * anyone who can write to the store could put a plain frame with a right checksum in the place of an encrypted one.
 * Only while the blocks of a plain volume are being encrypted, both kinds are read.
 */
public final class FrameEncryption {
    /** Frames are stored as they are; an encrypted one is refused. */
    public static final FrameEncryption NONE = new FrameEncryption(null, true);

    /** For checksums alone, which need no key: frames of both kinds are checked, encrypted ones are not decrypted. */
    public static final FrameEncryption UNREAD = new FrameEncryption(null, true, true);

    private final @Nullable VolumeKey key;
    private final boolean plain;
    private final boolean encrypted;

    private FrameEncryption(@Nullable VolumeKey key, boolean plain) {
        this(key, plain, key != null);
    }

    private FrameEncryption(@Nullable VolumeKey key, boolean plain, boolean encrypted) {
        this.key = key;
        this.plain = plain;
        this.encrypted = encrypted;
    }

    /** All frames are encrypted; a plain one is refused. */
    public static FrameEncryption with(VolumeKey key) {
        return new FrameEncryption(Objects.requireNonNull(key), false);
    }

    /** New frames are encrypted; older ones may be plain. */
    public static FrameEncryption underway(VolumeKey key) {
        return new FrameEncryption(Objects.requireNonNull(key), true);
    }

    /** Whether new frames are encrypted. */
    public boolean isOn() {
        return key != null;
    }

    public Optional<VolumeKey> key() {
        return Optional.ofNullable(key);
    }

    boolean admits(boolean encryptedFrame) {
        return encryptedFrame ? encrypted : plain;
    }

    @Override
    public String toString() {
        return key == null ? "not encrypted" : plain ? "being encrypted with " + key : "encrypted with " + key;
    }
}
