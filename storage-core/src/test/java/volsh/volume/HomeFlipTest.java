package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.assembly.SharedMetadata;
import volsh.block.StoreUrl;
import volsh.catalog.KnownCaches;
import volsh.catalog.Migrations;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.StoreEntry;
import volsh.catalog.VolumeSpec;
import volsh.disk.OsDisk;
import volsh.engine.postgres.PostgresUrl;
import volsh.place.LayoutPolicy;

/**
 * Every bit of the small files of a home is flipped, and they are cut off at every byte: what is read is what was
 * written, or damage is told.
 */
@Tag("volume")
final class HomeFlipTest {
    @TempDir
    Path directory;

    private interface Reading {
        Object of(byte[] bytes) throws IOException;
    }

    private interface Damage {
        void told(byte[] bytes, IOException why);
    }

    /** How many flips and cuts there were. */
    private static int flipAll(byte[] whole, Reading reading, Damage damage) throws IOException {
        var right = reading.of(whole);
        int told = 0;
        for (int at = 0; at < whole.length; at++) {
            for (int bit = 0; bit <= 8; bit++) {
                byte[] wrong = bit == 8 ? Arrays.copyOf(whole, at) : whole.clone();
                if (bit < 8) {
                    wrong[at] ^= (byte) (1 << bit);
                }
                try {
                    assertThat(reading.of(wrong)).as("byte %d, bit %d of %s", at, bit,
                            new String(whole, StandardCharsets.UTF_8)).isEqualTo(right);
                } catch (IOException why) {
                    damage.told(wrong, why);
                    told++;
                }
            }
        }
        return told;
    }

    private static VolumeSpec spec() throws IOException {
        return Records.volume(("{\"form\":\"1\",\"name\":\"data\",\"id\":\"%s\",\"store\":\"s1\",\"prefix\":\"p\","
                + "\"blockSize\":\"4194304\",\"compression\":\"lz4\"," + "\"inline\":\"4096\",\"profile\":\"general\","
                + "\"labels\":{\"team\":\"vision\"},\"created\":\"2026-11-01T10:00:00Z\",\"shipMetadata\":\"on\"}")
                .formatted(UUID.randomUUID()).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void recordsOfVolumesAndStores() throws Exception {
        byte[] volume = Records.toBytes(spec());
        assertThat(flipAll(volume, Records::volume, (bytes, why) -> { })).isGreaterThan(volume.length);
        byte[] store = Records.toBytes(new StoreEntry("s1", StoreUrl.of("s3://bucket/prefix"), Instant.EPOCH,
                List.of("fast")));
        assertThat(flipAll(store, bytes -> Records.store("s1", bytes), (bytes, why) -> { }))
                .isGreaterThan(store.length);
    }

    /** Those of earlier versions have no checksum; a field that none of them knew is none of theirs. */
    @Test
    void earlierRecordsAreRead() throws Exception {
        var text = new String(Records.toBytes(spec()), StandardCharsets.UTF_8);
        var earlier = text.replaceFirst(",\\s*\"sum\" : \"[0-9a-f]{8}\"", "");
        assertThat(earlier).doesNotContain("sum");
        assertThat(Records.volume(earlier.getBytes(StandardCharsets.UTF_8)).name()).isEqualTo("data");
        assertThatThrownBy(() -> Records.volume(text.replace("\"sum\"", "\"sun\"").getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Records.volume(text.replace("4MiB", "8MiB").getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class).hasMessageContaining("checksum");
    }

    private static void assertDamaged(IOException why) {
        assertThat(why).isInstanceOf(Refusal.class);
        assertThat(((Refusal) why).reason()).isEqualTo(Refusal.Reason.DAMAGED);
    }

    @Test
    void theUrlOfADatabase() throws Exception {
        var shared = new SharedMetadata(new OsDisk());
        var url = PostgresUrl.of("postgres://me:secret@db.example/volumes#data");
        shared.write(directory, url);
        var file = directory.resolve("meta.url");
        int told = flipAll(Files.readAllBytes(file), bytes -> {
            Files.write(file, bytes);
            return shared.place(directory).orElseThrow().secret();
        }, (bytes, why) -> {
            assertDamaged(why);
            assertThat(why.getMessage()).doesNotContain("secret@");
        });
        assertThat(told).isGreaterThan(8 * url.secret().length());
        Files.writeString(file, url.secret() + "\n");
        assertThat(shared.place(directory).orElseThrow().secret()).as("by an earlier version, or by hand")
                .isEqualTo(url.secret());
    }

    /** Notes that keep no promise: damage is told or leaves another note, and is never an internal error. */
    @Test
    void notesOfMigrationsAndCaches() throws Exception {
        var migrations = new Migrations(new OsDisk(), directory);
        migrations.begin(new Migrations.Unfinished("/hot", Optional.of(LayoutPolicy.SINGLE), Optional.empty(),
                Instant.EPOCH));
        Path file;
        try (var all = Files.list(directory)) {
            file = all.findFirst().orElseThrow();
        }
        int told = flipAll(Files.readAllBytes(file), bytes -> {
            Files.write(file, bytes);
            return migrations.list().size();
        }, (bytes, why) -> assertDamaged(why));
        assertThat(told).isPositive();
        var caches = new KnownCaches(new OsDisk(), directory.resolve("caches"));
        var volume = UUID.randomUUID();
        caches.remember(volume, List.of(Path.of("/cache/a"), Path.of("/cache/b")));
        var known = directory.resolve("caches").resolve(volume.toString());
        byte[] whole = Files.readAllBytes(known);
        for (int at = 0; at < whole.length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] wrong = whole.clone();
                wrong[at] ^= (byte) (1 << bit);
                Files.write(known, wrong);
                assertThat(caches.of(volume)).isNotNull();
            }
        }
    }
}
