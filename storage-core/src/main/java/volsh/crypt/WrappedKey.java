package volsh.crypt;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.UUID;
import volsh.crypt.Sealing.NotOpenedException;

/**
 * The key of a volume, encrypted under a {@link KeySecret}. May be stored beside the data: without the secret it is of
 * no use. A volume has one or more; each opens it.
 *
 * @param label what the user calls it
 * @param iterations rounds of PBKDF2, 0 for a random key
 * @param sealed the volume's key; opens only with this volume and label
 */
public record WrappedKey(String label, int iterations, byte[] salt, byte[] sealed) {
    private static final int SALT = 16;
    private static final int ITERATIONS_MAX = 100_000_000;

    public WrappedKey {
        boolean possible = iterations >= 0 && iterations <= ITERATIONS_MAX && salt.length == SALT
                && sealed.length == VolumeKey.BYTES + Sealing.OVERHEAD;
        if (!possible) {
            throw new IllegalArgumentException("the wrapping '%s' of the key has impossible values".formatted(label));
        }
    }

    public static WrappedKey wrap(UUID volume, String label, VolumeKey key, KeySecret secret) {
        var salt = new byte[SALT];
        new SecureRandom().nextBytes(salt);
        int iterations = secret.iterations();
        byte[] sealed = new Sealing(secret.wrapping(salt, iterations)).seal(key.bytes(), context(volume, label));
        return new WrappedKey(label, iterations, salt, sealed);
    }

    /** @throws NotOpenedException if the secret is another one, or the wrapping was changed */
    public VolumeKey unwrap(UUID volume, KeySecret secret) throws NotOpenedException {
        return VolumeKey.of(new Sealing(secret.wrapping(salt, iterations)).open(sealed, context(volume, label)));
    }

    /** Whether this secret is of the kind that this wrapping was made with; a wrong kind need not be tried. */
    public boolean suits(KeySecret secret) {
        return iterations > 0 == secret.iterations() > 0;
    }

    private static byte[] context(UUID volume, String label) {
        return "key of %s, %s".formatted(volume, label).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "wrapping '%s'".formatted(label);
    }
}
