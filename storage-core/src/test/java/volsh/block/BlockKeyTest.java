package volsh.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.fs.ImportedBlock;

/** Which names blocks may have. */
final class BlockKeyTest {
    private static final Pattern SHAPE = Pattern.compile("[a-z0-9_][a-z0-9._-]*(/[a-z0-9_][a-z0-9._-]*)*");
    private static final Pattern BLOCK = Pattern.compile("blocks/[0-9a-f]{2}/([0-9a-f]{16})");

    @Test
    void asThePatternSays() {
        var random = new Random(1);
        int keys = 0;
        for (int i = 0; i < 200_000; i++) {
            var text = new StringBuilder();
            for (int length = random.nextInt(8); length > 0; length--) {
                text.append("az09_.-/AZ ~\u00e9`{".charAt(random.nextInt(random.nextBoolean() ? 8 : 15)));
            }
            boolean key = SHAPE.matcher(text).matches();
            assertThat(BlockKey.isKey(text.toString())).as("'%s'", text).isEqualTo(key);
            keys += key ? 1 : 0;
        }
        assertThat(keys).isBetween(10_000, 190_000);
        assertThat(BlockKey.isKey("a".repeat(512))).isTrue();
        assertThat(BlockKey.isKey("a".repeat(513))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 255, 256, 0x123456789abcdef0L, (1L << 62) - 1, -1})
    void aBlockIsKnownByItsKey(long id) {
        var key = BlockKey.of(id);
        assertThat(key.text()).matches(BLOCK).endsWith("%016x".formatted(id))
                .startsWith("blocks/%02x/".formatted(id & 255));
        assertThat(key.block()).hasValue(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"owner", "blocks/0/0000000000000000", "blocks/00/000000000000000",
            "blocks/00/00000000000000000", "blocks/0g/0000000000000000", "blocks/00/000000000000000x",
            "blocks/00-0000000000000000", "blockz/00/0000000000000000"})
    void otherKeysAreNoBlocks(String text) {
        assertThat(new BlockKey(text).block()).isEmpty();
    }

    /** Nothing is ever stored or deleted for a block whose bytes are an object of others. */
    @Test
    void anImportedBlockHasNone() {
        assertThatThrownBy(() -> BlockKey.of(ImportedBlock.id(7))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is imported");
        assertThat(new BlockKey("blocks/07/4000000000000007").block()).isEmpty();
    }
}
