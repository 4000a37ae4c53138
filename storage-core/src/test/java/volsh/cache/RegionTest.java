package volsh.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

final class RegionTest {
    private static final int HUGE_PAGE = 2 << 20;

    @Test
    void beginsWithAHugePageAndIsAllThere() {
        for (long size : new long[] {HUGE_PAGE, (4 << 20) + (64 << 10), 16 << 20, (2 << 20) + 1}) {
            try (var arena = Arena.ofShared()) {
                for (int i = 0; i < 4; i++) {
                    var region = Region.huge(arena, size);
                    assertThat(region.byteSize()).isEqualTo(size);
                    assertThat(region.address() % HUGE_PAGE).isZero();
                    assertThat(region.get(ValueLayout.JAVA_BYTE, size - 1)).isZero();
                    region.fill((byte) 7);
                    assertThat(region.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
                    assertThat(region.get(ValueLayout.JAVA_BYTE, size - 1)).isEqualTo((byte) 7);
                }
            }
        }
    }

    @Test
    void goesWithItsArena() {
        var arena = Arena.ofShared();
        var region = Region.huge(arena, HUGE_PAGE);
        arena.close();
        assertThatThrownBy(() -> region.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }
}
