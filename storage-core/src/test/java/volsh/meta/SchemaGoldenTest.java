package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fs.FileCommit;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.Patch;
import volsh.inventory.Superblock;

/**
 * The rows of docs/FORMAT.md, byte for byte: old volumes must open for ever. When this fails the format has changed.
 */
@Tag("data")
final class SchemaGoldenTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochSecond(0x60000000L, 5));

    @Test
    void rowsAreWrittenAsSpecified() throws IOException {
        var engine = new MemoryMetaEngine();
        var superblock = new Superblock(engine, CLOCK);
        superblock.format(new Owner(7, 8), 0755, "volume", new byte[] {'{', '}'});
        var session = superblock.sessions().open("h", 9, "p");
        var names = new Namespace(engine, CLOCK, session.id());
        var small = names.makeNode(Namespace.ROOT, Name.of("s"), FileKind.REGULAR, 0644, Owner.ROOT, 0);
        names.files().patchInline(small.ino(), List.of(new Patch(0, new byte[] {1, 2})), 2, OptionalLong.of(3), 4096);
        var large = names.makeNode(Namespace.ROOT, Name.of("l"), FileKind.REGULAR, 0600, Owner.ROOT, 0);
        long block = names.files().newBlock();
        names.files().commit(large.ino(), new FileCommit(
                List.of(new BlockRow(block, 100, 120, 0, large.ino(), new byte[] {9})),
                List.of(new Extent(10, 90, block, 10)), 100, OptionalLong.of(4), -1));
        names.extendedAttributes().set(large.ino(), new byte[] {'u'}, new byte[] {'v'}, ExtendedAttributes.Mode.ALWAYS);
        names.makeSymlink(Namespace.ROOT, Name.of("y"), new byte[] {'t'}, Owner.ROOT);

        assertRow(engine, "74", "0000000060000000");
        assertRow(engine, "450000000000000001" + "73", since("0000000000000002" + "08"));
        assertRow(engine, "440000000000000002", since("0102"));
        assertRow(engine, "580000000000000003" + "0000000000000064",
                since("000000000000005a" + "0000000000000002" + "000000000000000a"));
        assertRow(engine, "620000000000000002",
                "01" + "0000000000000064" + "0000000000000078" + "00000000" + "0000000000000003" + "09");
        assertRow(engine, "410000000000000003" + "75", since("76"));
        assertRow(engine, "4c0000000000000004", since("74"));
        assertRow(engine, "4e0000000000000003",
                since("01" + "08" + "02" + "00000180" + "00000000" + "00000000" + "00000001" + "00000000" + "00000000"
                + "00000000" + "0000000000000001" + "0000000000000064" + "000000000000005a" + "165a0bc000000005"
                + "0000000000000004" + "165a0bc000000005" + "0000000000000002"));
        assertRow(engine, "530000000000000001" + "02",
                "03" + "0000000000000003" + "0000000000000000" + "0000000000000003" + "165a0bc000000005");
        assertThat(row(engine, "63696e6f6465")).as("next inode").isNotNull();
        assertThat(row(engine, "750000000000000002")).as("a use count of 1 is not stored").isNull();
    }

    private static String since(String content) {
        return "0000000060000000" + content;
    }

    private static void assertRow(MetaEngine engine, String key, String value) throws IOException {
        assertThat(row(engine, key)).as("row " + key).isEqualTo(value);
    }

    private static String row(MetaEngine engine, String key) throws IOException {
        byte[] found = engine.read(tx -> tx.get(MetaKey.of(HexFormat.of().parseHex(key))));
        return Optional.ofNullable(found).map(HexFormat.of()::formatHex).orElse(null);
    }
}
