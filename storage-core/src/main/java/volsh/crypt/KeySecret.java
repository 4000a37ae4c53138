package volsh.crypt;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** What a user keeps in order to open a volume. Becomes a key that wraps the volume's key. */
public sealed interface KeySecret {
    /** Fewer bytes of a key are refused. */
    int KEY_BYTES_MIN = 32;

    /** Fewer characters of a passphrase are refused. */
    int PASSPHRASE_MIN = 8;

    /** The key that wraps, with a salt that is stored beside what it wraps. */
    byte[] wrapping(byte[] salt, int iterations);

    /** The rounds of a new wrapping. */
    int iterations();

    /** Random bytes from a file or a key service. */
    record Key(byte[] bytes) implements KeySecret {
        public Key {
            if (bytes.length < KEY_BYTES_MIN) {
                throw new IllegalArgumentException("a key needs at least %d random bytes, not %d"
                        .formatted(KEY_BYTES_MIN, bytes.length));
            }
        }

        @Override
        public byte[] wrapping(byte[] salt, int iterations) {
            return VolumeKey.of(sha256(bytes)).derive("wrapping", salt);
        }

        private static byte[] sha256(byte[] bytes) {
            try {
                return MessageDigest.getInstance("SHA-256").digest(bytes);
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException("every Java has SHA-256", impossible);
            }
        }

        @Override
        public int iterations() {
            return 0;
        }

        @Override
        public String toString() {
            return "a key of %d bytes".formatted(bytes.length);
        }
    }

    /** Words that a person knows, or a variable of the environment. Every guess costs {@link #ITERATIONS} rounds. */
    record Passphrase(String text) implements KeySecret {
        /** PBKDF2-HMAC-SHA256: a fifth of a second for a processor of 2025. */
        public static final int ITERATIONS = 600_000;

        public Passphrase {
            if (text.length() < PASSPHRASE_MIN) {
                throw new IllegalArgumentException("a passphrase needs at least %d characters, not %d"
                        .formatted(PASSPHRASE_MIN, text.length()));
            }
        }

        @Override
        public byte[] wrapping(byte[] salt, int iterations) {
            var spec = new PBEKeySpec(text.toCharArray(), salt, iterations, 8 * VolumeKey.BYTES);
            try {
                return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException("every Java has PBKDF2", impossible);
            } finally {
                spec.clearPassword();
            }
        }

        @Override
        public int iterations() {
            return ITERATIONS;
        }

        @Override
        public String toString() {
            return "a passphrase";
        }
    }
}
