package volsh.crypt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import volsh.crypt.Sealing.NotOpenedException;

final class WrappedKeyTest {
    private static final UUID VOLUME = new UUID(1, 2);
    private static final KeySecret PASSPHRASE = new KeySecret.Passphrase("correct horse battery");

    private final VolumeKey key = VolumeKey.random();

    private static KeySecret random(int seed) {
        return new KeySecret.Key(new byte[] {(byte) seed, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
            19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32});
    }

    @Test
    void everyWrappingGivesTheSameKey() throws Exception {
        var wrapped = WrappedKey.wrap(VOLUME, "ops", key, random(1));
        var other = WrappedKey.wrap(VOLUME, "me", key, PASSPHRASE);
        assertThat(wrapped.unwrap(VOLUME, random(1))).isEqualTo(key);
        assertThat(other.unwrap(VOLUME, PASSPHRASE)).isEqualTo(key);
        assertThat(other.iterations()).isEqualTo(KeySecret.Passphrase.ITERATIONS);
        assertThat(other.suits(PASSPHRASE)).isTrue();
        assertThat(other.suits(random(1))).isFalse();
    }

    @Test
    void otherSecretsVolumesAndLabelsDoNotOpenIt() {
        var wrapped = WrappedKey.wrap(VOLUME, "ops", key, random(1));
        var renamed = new WrappedKey("root", wrapped.iterations(), wrapped.salt(), wrapped.sealed());
        byte[] changed = wrapped.sealed().clone();
        changed[20] ^= 1;
        var damaged = new WrappedKey("ops", wrapped.iterations(), wrapped.salt(), changed);
        assertThatThrownBy(() -> wrapped.unwrap(VOLUME, random(2))).isInstanceOf(NotOpenedException.class);
        assertThatThrownBy(() -> wrapped.unwrap(new UUID(1, 3), random(1))).isInstanceOf(NotOpenedException.class);
        assertThatThrownBy(() -> renamed.unwrap(VOLUME, random(1))).isInstanceOf(NotOpenedException.class);
        assertThatThrownBy(() -> damaged.unwrap(VOLUME, random(1))).isInstanceOf(NotOpenedException.class);
    }

    @Test
    void weakSecretsAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new KeySecret.Key(new byte[31]))
                .withMessage("a key needs at least 32 random bytes, not 31");
        assertThatIllegalArgumentException().isThrownBy(() -> new KeySecret.Passphrase("1234567"))
                .withMessage("a passphrase needs at least 8 characters, not 7");
    }

    @Test
    void nothingShowsAKey() {
        assertThat(key).hasToString("volume key " + key.fingerprint());
        assertThat(PASSPHRASE).hasToString("a passphrase");
        assertThat(random(1)).hasToString("a key of 32 bytes");
        assertThat(WrappedKey.wrap(VOLUME, "ops", key, random(1))).hasToString("wrapping 'ops'");
        assertThat(key.derive("a", new byte[0])).isNotEqualTo(key.derive("b", new byte[0]));
        assertThat(VolumeKey.random().fingerprint()).isNotEqualTo(key.fingerprint());
    }

    @Test
    void sealedValuesOpenOnlyInTheirPlace() throws Exception {
        byte[] plain = "inline bytes".getBytes(StandardCharsets.UTF_8);
        byte[] here = {1};
        var sealing = new Sealing(key, "inline");
        byte[] sealed = sealing.seal(plain, here);
        assertThat(sealed).hasSize(plain.length + Sealing.OVERHEAD).isNotEqualTo(sealing.seal(plain, here));
        assertThat(sealing.open(sealed, here)).isEqualTo(plain);
        assertThat(sealing.open(sealing.seal(new byte[0], here), here)).isEmpty();
        assertThatThrownBy(() -> sealing.open(sealed, new byte[] {2})).isInstanceOf(NotOpenedException.class);
        assertThatThrownBy(() -> new Sealing(key, "log").open(sealed, here)).isInstanceOf(NotOpenedException.class);
        assertThatThrownBy(() -> sealing.open(new byte[Sealing.OVERHEAD - 1], here))
                .isInstanceOf(NotOpenedException.class);
        for (int bit = 0; bit < 8 * sealed.length; bit++) {
            byte[] flipped = sealed.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> sealing.open(flipped, here)).isInstanceOf(NotOpenedException.class);
        }
    }
}
