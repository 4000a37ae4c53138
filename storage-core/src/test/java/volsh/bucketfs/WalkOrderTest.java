package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class WalkOrderTest {
    private final WalkOrder order = new WalkOrder(1, IntStream.range(0, 100)
            .mapToObj(i -> DirectoryItem.directory("%02d".formatted(i))).toList());

    private List<String> next(String name) {
        var begun = new ArrayList<String>();
        order.used(name, item -> begun.add(item.name()));
        return begun;
    }

    @Test
    void whatCouldNotBeginIsTriedAgain() {
        assertThat(next("00")).containsExactly("01", "02");
        order.used("01", item -> false);
        assertThat(next("02")).containsExactly("03", "04", "05", "06", "07", "08", "09", "10");
    }

    @Test
    void aWalkIsFollowedFurtherAndFurtherAndNothingComesTwice() {
        assertThat(next("00")).containsExactly("01", "02");
        assertThat(next("00")).isEmpty();
        assertThat(next("01")).containsExactly("03", "04", "05");
        assertThat(next("02")).containsExactly("06", "07", "08", "09", "10");
        assertThat(next("04")).containsExactly("11", "12");
        assertThat(next("none")).isEmpty();
        assertThat(next("05")).containsExactly("13");
    }

    @Test
    void thereIsNothingBehindTheLast() {
        IntStream.range(0, 98).forEach(i -> next("%02d".formatted(i)));
        assertThat(next("98")).isEmpty();
        assertThat(next("99")).isEmpty();
    }

    @Test
    void anyOtherOrderIsNotFollowed() {
        assertThat(next("50")).isEmpty();
        assertThat(next("10")).isEmpty();
        assertThat(next("90")).isEmpty();
        assertThat(next("70")).isEmpty();
        assertThat(next("71")).containsExactly("72", "73");
    }
}
