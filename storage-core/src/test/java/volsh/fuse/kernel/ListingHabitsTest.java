package volsh.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Programs that do not use attributes get none; others get them again after a few lookups, and soon. */
@Tag("mount")
final class ListingHabitsTest {
    private final ListingHabits habits = new ListingHabits();

    private boolean lists(int program) {
        boolean wants = habits.wantsAttributes(program, true);
        assertThat(habits.wantsAttributes(program, false)).as("the next page").isEqualTo(wants);
        return wants;
    }

    private int listsWithAttributes(int program, int most) {
        int count = 0;
        while (count < most && lists(program)) {
            count++;
        }
        return count;
    }

    @Test
    void aWalkThatLooksUpNothingGetsNamesOnly() {
        assertThat(listsWithAttributes(1, 100)).isEqualTo(ListingHabits.FIRST);
        for (int i = 0; i < 1000; i++) {
            assertThat(lists(1)).isFalse();
        }
        assertThat(lists(2)).isTrue();
    }

    @Test
    void aLookupBringsThemBackForLong() {
        listsWithAttributes(1, 100);
        listsWithAttributes(2, 100);
        habits.lookedUp(1);
        assertThat(habits.wantsAttributes(1, false)).as("the rest of the listing").isTrue();
        assertThat(listsWithAttributes(1, 1000)).isEqualTo(ListingHabits.AGAIN);
        habits.lookedUp(1);
        assertThat(lists(1)).isTrue();
        assertThat(lists(2)).isFalse();
    }

    /** Programs that come and go, such as ls, are not remembered for ever. */
    @Test
    void manyProgramsTakeNoMemory() {
        listsWithAttributes(1, 100);
        for (int program = 2; program < 10_000; program++) {
            assertThat(lists(program)).isTrue();
        }
        assertThat(lists(1)).as("forgotten").isTrue();
    }
}
