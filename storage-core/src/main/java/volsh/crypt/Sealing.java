package volsh.crypt;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals values of at most a few megabytes with AES-256-GCM: a random nonce of 12 bytes, the ciphertext, a tag of 16
 * bytes. The associated data says what a value is; a value that is moved elsewhere does not open there. Thread-safe.
 */
public final class Sealing {
    static final int NONCE = 12;
    static final int TAG = 16;

    /** How much longer a sealed value is. */
    public static final int OVERHEAD = NONCE + TAG;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretKeySpec key;

    /** Seals under the volume's key for this purpose. */
    public Sealing(VolumeKey volume, String purpose) {
        this(volume.derive(purpose, new byte[0]));
    }

    Sealing(byte[] key) {
        this.key = new SecretKeySpec(key, "AES");
    }

    /** A sealed value was changed, was moved, or is of another key. None of it was returned. */
    public static final class NotOpenedException extends IOException {
        NotOpenedException(Throwable cause) {
            super("does not decrypt: it was changed, or its key is another one", cause);
        }
    }

    public byte[] seal(byte[] plain, byte[] associated) {
        var nonce = new byte[NONCE];
        RANDOM.nextBytes(nonce);
        try {
            var cipher = cipher(Cipher.ENCRYPT_MODE, nonce, associated);
            byte[] sealed = Arrays.copyOf(nonce, NONCE + plain.length + TAG);
            cipher.doFinal(plain, 0, plain.length, sealed, NONCE);
            return sealed;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has AES-GCM", impossible);
        }
    }

    public byte[] open(byte[] sealed, byte[] associated) throws NotOpenedException {
        if (sealed.length < OVERHEAD) {
            throw new NotOpenedException(new AEADBadTagException("%d bytes".formatted(sealed.length)));
        }
        try {
            var cipher = cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(sealed, NONCE), associated);
            return cipher.doFinal(sealed, NONCE, sealed.length - NONCE);
        } catch (AEADBadTagException wrong) {
            throw new NotOpenedException(wrong);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has AES-GCM", impossible);
        }
    }

    private Cipher cipher(int mode, byte[] nonce, byte[] associated) throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(8 * TAG, nonce));
        cipher.updateAAD(associated);
        return cipher;
    }
}
