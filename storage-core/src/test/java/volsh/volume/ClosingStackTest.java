package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("volume")
final class ClosingStackTest {
    private final List<String> closed = new ArrayList<>();
    private final ClosingStack stack = new ClosingStack(ClosingStack.Watcher.NONE);

    private void open(String part) throws IOException {
        stack.open(part, () -> part, closed::add);
    }

    private ClosingStack.Work failing(String part, Throwable failure) {
        return () -> {
            closed.add(part);
            switch (failure) {
                case IOException failed -> throw failed;
                case Error failed -> throw failed;
                default -> throw new IllegalStateException(failure);
            }
        };
    }

    @Test
    void theLastClosesFirstAndEachOnce() throws IOException {
        open("bottom");
        open("middle");
        stack.onOrderlyClose("work", () -> closed.add("work"));
        open("top");
        stack.close();
        stack.close();
        assertThat(closed).containsExactly("top", "work", "middle", "bottom");
    }

    @Test
    void whatTakesOverAPartClosesInItsPlace() throws IOException {
        open("bottom");
        open("inner");
        stack.openAround("outer", () -> "outer", closed::add);
        stack.close();
        assertThat(closed).containsExactly("outer", "bottom");
    }

    /** A part that could not be opened leaves the one that it would have taken over. */
    @Test
    void whatFailsToTakeOverLeavesThePart() throws IOException {
        open("inner");
        assertThatThrownBy(() -> stack.<String>openAround("outer", () -> {
            throw new IOException("no");
        }, closed::add)).hasMessage("no");
        stack.close();
        assertThat(closed).containsExactly("inner");
    }

    @Test
    void theFirstFailureIsThrownAndTheOthersAreSuppressed() throws IOException {
        open("bottom");
        var third = new IOException("third");
        stack.onClose("three", failing("three", third));
        stack.onOrderlyClose("work", () -> closed.add("work"));
        var second = new OutOfMemoryError("second");
        stack.onClose("two", failing("two", second));
        stack.onClose("one", failing("one", new IOException("first")));
        assertThatThrownBy(stack::close).hasMessage("first")
                .satisfies(first -> assertThat(first.getSuppressed()).containsExactly(second, third));
        assertThat(closed).as("without the work").containsExactly("one", "two", "three", "bottom");
    }

    @Test
    void aFailedOpeningKeepsItsFailure() throws IOException {
        open("bottom");
        stack.onOrderlyClose("work", () -> closed.add("work"));
        var also = new IOException("also");
        stack.onClose("part", failing("part", also));
        var failed = new IOException("opening");
        stack.closeAfter(failed);
        assertThat(failed.getSuppressed()).containsExactly(also);
        assertThat(closed).containsExactly("part", "bottom");
    }
}
