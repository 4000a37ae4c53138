package volsh.command.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import volsh.command.run.RunRecord.Done;
import volsh.command.run.RunRecord.Kind;

/** Records of programs that do more than a report can hold. */
final class RunRecordTest {
    private long millis;
    private final InstantSource clock = () -> Instant.ofEpochMilli(millis++);
    private final RunRecord record = new RunRecord(clock, text -> text);

    private RunReport report() {
        return new RunReport("job.groovy", List.of(), false, Instant.EPOCH, Duration.ofSeconds(9), 0, Optional.empty(),
                record);
    }

    private void commands(int count) {
        for (int i = 0; i < count; i++) {
            try (var item = record.begin(Kind.COMMAND, "c" + i)) {
                item.ended(0);
            }
        }
    }

    @Test
    void theFirstAreKeptAndTheOthersCounted() {
        commands(RunRecord.MOST_ITEMS);
        assertThat(record.left()).isZero();
        assertThat(report().html()).doesNotContain(" more</p>");
        commands(7);
        assertThat(record.items()).hasSize(RunRecord.MOST_ITEMS);
        assertThat(record.left()).isEqualTo(7);
        assertThat(report().html()).contains("and 7 more</p>");
        assertThat(report().json()).contains("\"left\":7");
    }

    /** What failed is what a report is read for. */
    @Test
    void whatFailsLateIsKept() {
        commands(RunRecord.MOST_ITEMS + 5);
        try (var step = record.begin(Kind.STEP, "late step")) {
            try (var item = record.begin(Kind.COMMAND, "late command")) {
                item.failed(7, "broken");
            }
            step.ended(7);
        }
        record.say(Kind.WARNING, "late warning");
        record.say(Kind.LOG, "late line");
        assertThat(record.items()).extracting(Done::text).endsWith("late step", "late command", "late warning")
                .hasSize(RunRecord.MOST_ITEMS + 3);
        assertThat(record.left()).isEqualTo(6);
        assertThat(report().html()).contains("late command", "broken", "and 6 more");
    }

    @Test
    void troubleWithoutEndIsCounted() {
        commands(RunRecord.MOST_ITEMS);
        for (int i = 0; i < RunRecord.MOST_TROUBLES + 3; i++) {
            record.say(Kind.ERROR, "e" + i);
        }
        assertThat(record.items()).hasSize(RunRecord.MOST_ITEMS + RunRecord.MOST_TROUBLES);
        assertThat(record.left()).isEqualTo(3);
    }

    /** Steps inside of steps are indented three times at most; programs get the real depth. */
    @Test
    void deepStepsAreShown() {
        nested(6);
        assertThat(report().html()).contains("<td class='d3'>step 6").doesNotContain("class='d4'");
        assertThat(report().json()).contains("\"depth\":5");
    }

    private void nested(int depth) {
        try (var step = record.begin(Kind.STEP, "step " + (7 - depth))) {
            if (depth > 1) {
                nested(depth - 1);
            }
            step.ended(0);
        }
    }
}
