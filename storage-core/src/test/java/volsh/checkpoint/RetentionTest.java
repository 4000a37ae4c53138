package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RetentionTest {
    private static final Instant FIRST = Instant.parse("2026-11-01T00:00:00Z");

    /** A hundred, half an hour apart; loss falls, then rises again after step 60. */
    private static List<Checkpoint> hundred() {
        var all = new ArrayList<Checkpoint>();
        for (int i = 0; i < 100; i++) {
            all.add(made(i * 1000L, FIRST.plus(Duration.ofMinutes(30L * i)), Math.abs(60 - i), "", false, i == 99));
        }
        return all;
    }

    private static Checkpoint made(long step, Instant saved, double loss, String trouble, boolean pinned,
            boolean latest) {
        return new Checkpoint("r", step, Optional.of(new Manifest("r", step, saved, Map.of("loss", loss), List.of())),
                trouble, pinned, latest);
    }

    private static List<Long> kept(String policy, List<Checkpoint> all) {
        var spare = Retention.of(policy).spare(all);
        return all.stream().filter(one -> !spare.contains(one)).map(one -> one.step() / 1000).toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "last=3 | [97, 98, 99]",
        "hourly=3 | [95, 97, 99]",
        "daily=2 | [95, 99]",
        "daily=9 | [47, 95, 99]",
        "weekly=5 | [47, 99]",
        "monthly=1 | [99]",
        "every=25000 | [0, 25, 50, 75, 99]",
        "best=loss:min:2 | [60, 61, 99]",
        "best=loss:max:1 | [0, 99]",
        "best=other:min:5 | [99]",
        "last=1,every=50000 | [0, 50, 99]",
    })
    void everyRuleKeepsWhatItNames(String policy, String steps) {
        assertThat(kept(policy, hundred())).hasToString(steps);
    }

    @Test
    void pinnedDamagedAndTheNewestAreNeverSpare() {
        var random = new Random(42);
        for (int round = 0; round < 200; round++) {
            var all = new ArrayList<Checkpoint>();
            for (int i = 0; i < random.nextInt(1, 12); i++) {
                all.add(made(i, FIRST.plus(Duration.ofMinutes(random.nextInt(10_000))), random.nextDouble(),
                        random.nextInt(5) == 0 ? "cut" : "", random.nextInt(4) == 0, false));
            }
            var spare = Retention.of("last=1,daily=2").spare(all);
            assertThat(spare).noneMatch(one -> one.pinned() || !one.valid());
            var newest = all.stream().filter(Checkpoint::valid)
                    .max(java.util.Comparator.comparing(one -> one.manifest().orElseThrow().saved()));
            newest.ifPresent(one -> assertThat(spare).doesNotContain(one));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "last", "last=0", "last=-1", "last=x", "yearly=3", "best=loss", "best=loss:least:3",
            "last=3,", "every=1e4"})
    void otherRulesAreRefused(String text) {
        assertThatThrownBy(() -> Retention.of(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("try last=3");
    }
}
