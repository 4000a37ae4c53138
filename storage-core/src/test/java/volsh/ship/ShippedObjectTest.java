package volsh.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.engine.Delta;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaKey;
import volsh.ship.ShippedObject.Kind;
import volsh.ship.WriteSet.Write;

/** The bytes of shipped metadata, as docs/FORMAT.md says, and that no damage of them goes unnoticed. */
@Tag("volume")
final class ShippedObjectTest {
    private static final UUID VOLUME = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
    private static final UUID COPY = new UUID(0x1112131415161718L, 0x191a1b1c1d1e1f20L);

    private static ShippedObject log() {
        byte[] set = writeSet().toBytes();
        var content = new LogContent("host", Instant.ofEpochMilli(1_700_000_000_000L), bytes("{about}"),
                List.of(set, set));
        return new ShippedObject(Kind.LOG, VOLUME, COPY, 3, 7, 8, filled(0xab), content.toBytes());
    }

    private static WriteSet writeSet() {
        return new WriteSet(Instant.ofEpochMilli(1_700_000_000_001L), List.of(
                new Write.Put(MetaKey.of(bytes("Nabcdefgh")), bytes("value")),
                new Write.Delete(MetaKey.of(bytes("Eabcdefghname"))),
                new Write.Add(MetaKey.of((byte) 'U', (byte) 1), new Delta(new long[] {5, -1}, new long[] {9}))));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] filled(int value) {
        byte[] bytes = new byte[ShippedObject.DIGEST_LENGTH];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    /** As the first version wrote it: what was shipped once stays readable. */
    @Test
    void theFormatStays() throws Exception {
        try (var golden = ShippedObjectTest.class.getResourceAsStream("/volsh/ship/log-1.hex")) {
            byte[] stored = HexFormat.of()
                    .parseHex(new String(golden.readAllBytes(), StandardCharsets.US_ASCII).strip());
            var read = ShippedObject.open(ShippedNames.log(7), stored, Kind.LOG, VOLUME);
            assertThat(read).usingRecursiveComparison().isEqualTo(log());
            var content = LogContent.parse(ShippedNames.log(7), read);
            assertThat(content.host()).isEqualTo("host");
            assertThat(WriteSet.parse(content.sets().get(1))).usingRecursiveComparison().isEqualTo(writeSet());
            int header = 104;
            assertThat(HexFormat.of().formatHex(stored, 0, header)).isEqualTo("56534850" + "01" + "01" + "0000"
                    + "0102030405060708090a0b0c0d0e0f10" + "1112131415161718191a1b1c1d1e1f20" + "0000000000000003"
                    + "0000000000000007" + "0000000000000008" + "ab".repeat(32)
                    + "%08x%08x".formatted(log().content().length, stored.length - header - 32));
            assertThat(HexFormat.of().formatHex(writeSet().toBytes())).isEqualTo(
                    "81d095ffbc31" + "03" + "01" + "09" + "4e6162636465666768" + "05" + "76616c7565"
                    + "02" + "0d" + "456162636465666768" + "6e616d65"
                    + "03" + "02" + "5501" + "19" + "02" + "0000000000000005" + "ffffffffffffffff"
                    + "0000000000000009");
        }
    }

    @Test
    void whatIsSealedIsOpened() throws Exception {
        var page = new Page(MetaKey.of((byte) 1), 12, List.of(new Entry(MetaKey.of((byte) 2), new byte[0])));
        var out = new Bytes();
        page.writeTo(out);
        page.writeTo(out);
        var part = new ShippedObject(Kind.PART, VOLUME, COPY, 1, 0, 0, ShippedObject.NO_DIGEST, out.toBytes());
        var read = ShippedObject.open(ShippedNames.part(3, "a", 0), part.seal().bytes(), Kind.PART, VOLUME);
        assertThat(Pages.of(ShippedNames.part(3, "a", 0), read)).usingRecursiveComparison()
                .isEqualTo(List.of(page, page));
        var base = new BaseContent("host", Instant.EPOCH, bytes("about"), "abc", 77, List.of(filled(1), filled(2)));
        var parcel = new ShippedObject(Kind.BASE, VOLUME, COPY, 1, 3, 12, filled(9), base.toBytes());
        assertThat(BaseContent.parse(ShippedNames.base(3),
                ShippedObject.open(ShippedNames.base(3), parcel.seal().bytes(), Kind.BASE, VOLUME)))
                .usingRecursiveComparison().isEqualTo(base);
    }

    /** Every single bit, every length, and random damage. */
    @Test
    void noDamageGoesUnnoticed() {
        byte[] right = log().seal().bytes();
        int damages = 0;
        for (int bit = 0; bit < right.length * 8; bit++, damages++) {
            byte[] wrong = right.clone();
            wrong[bit / 8] ^= (byte) (1 << bit % 8);
            assertNoticed(wrong);
        }
        for (int length = 0; length < right.length; length++, damages++) {
            assertNoticed(Arrays.copyOf(right, length));
        }
        assertNoticed(Arrays.copyOf(right, right.length + 1));
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int i = 0; i < 2_000; i++, damages++) {
            byte[] wrong = right.clone();
            for (int n = 1 + random.nextInt(20); n > 0; n--) {
                wrong[random.nextInt(wrong.length)] = (byte) random.nextInt();
            }
            if (!Arrays.equals(wrong, right)) {
                assertNoticed(wrong);
            }
        }
        System.out.printf("parcel damage, seed %d: %d of %d noticed%n", seed, damages, damages);
    }

    private static void assertNoticed(byte[] wrong) {
        assertThatThrownBy(() -> ShippedObject.open(ShippedNames.log(7), wrong, Kind.LOG, VOLUME))
                .isInstanceOf(DamagedShipmentException.class).hasMessageContaining("meta/log/0000000000000007");
    }

    /** Its checksum is right, but not its content: the message says so, and not "null". */
    @Test
    void contentThatEndsTooSoonIsDamage() throws Exception {
        var key = ShippedNames.log(1);
        var empty = new ShippedObject(ShippedObject.Kind.LOG, VOLUME, COPY, 1, 1, 1, new byte[32], new byte[0]);
        assertThatThrownBy(() -> LogContent.parse(key, empty)).isInstanceOf(DamagedShipmentException.class)
                .hasMessageContaining("object %s: it is truncated or malformed".formatted(key));
    }

    @Test
    void anObjectOfAnotherVolumeOrKindIsRefused() {
        byte[] right = log().seal().bytes();
        assertThatThrownBy(() -> ShippedObject.open(ShippedNames.log(7), right, Kind.LOG, COPY))
                .isInstanceOf(DamagedShipmentException.class);
        assertThatThrownBy(() -> ShippedObject.open(ShippedNames.log(7), right, Kind.BASE, VOLUME))
                .isInstanceOf(DamagedShipmentException.class);
    }
}
