package volsh.crypt;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of an encrypted volume: 32 random bytes that are never used themselves, only to derive other keys. It lasts
 * as long as the volume; what users change are its {@link WrappedKey wrappings}.
 */
public final class VolumeKey {
    /** Length of the key and of every derived key: AES-256. */
    public static final int BYTES = 32;

    private static final String MAC = "HmacSHA256";
    private static final int FINGERPRINT = 8;

    private final byte[] bytes;

    private VolumeKey(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a volume key has %d bytes, not %d".formatted(BYTES, bytes.length));
        }
        this.bytes = bytes;
    }

    public static VolumeKey random() {
        var bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return new VolumeKey(bytes);
    }

    static VolumeKey of(byte[] bytes) {
        return new VolumeKey(bytes.clone());
    }

    /** Reads what {@link #text} wrote. */
    public static VolumeKey parse(String text) {
        return new VolumeKey(HexFormat.of().parseHex(text));
    }

    /** The key itself: only for the memory of a process that this one starts. */
    public String text() {
        return HexFormat.of().formatHex(bytes);
    }

    byte[] bytes() {
        return bytes.clone();
    }

    /** The key for one purpose and context: different for every pair, and useless to compute another. */
    public byte[] derive(String purpose, byte[] context) {
        return derive(purpose, ByteBuffer.wrap(context));
    }

    /** The same, of the remaining bytes of a buffer. */
    public byte[] derive(String purpose, ByteBuffer context) {
        try {
            var mac = Mac.getInstance(MAC);
            mac.init(new SecretKeySpec(bytes, MAC));
            mac.update(purpose.getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0);
            mac.update(context);
            return mac.doFinal();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has " + MAC, impossible);
        }
    }

    /** Tells keys apart without giving them away: sixteen hex digits. */
    public String fingerprint() {
        return HexFormat.of().formatHex(derive("fingerprint", new byte[0]), 0, FINGERPRINT);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VolumeKey that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return fingerprint().hashCode();
    }

    /** Never the key. */
    @Override
    public String toString() {
        return "volume key " + fingerprint();
    }
}
