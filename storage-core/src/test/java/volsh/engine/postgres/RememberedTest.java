package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.engine.MetaEngineContract.key;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaKey;
import volsh.engine.postgres.PostgresReads.Scan;

/**
 * What is remembered is what is so, as far as the log was heard, in whatever order questions, answers and changes come;
 * and there is only so much of it.
 */
final class RememberedTest {
    private static final int STEPS = Boolean.getBoolean("volsh.long") ? 2_000_000 : 40_000;

    private final Remembered remembered = new Remembered(new LogPace(Duration.ZERO, Duration.ZERO, Duration.ZERO,
            Duration.ZERO));

    private static MetaKey row(int group, int name) {
        return key("E%08d%d".formatted(group, name));
    }

    private static Found found(MetaKey key, long version) {
        return new Found(key, new byte[0], version, false);
    }

    private Optional<Found> recalled(MetaKey key) {
        var target = new HashMap<MetaKey, Optional<Found>>();
        return remembered.recall(key, target) ? target.get(key) : null;
    }

    @Test
    void whatIsNotHeardToHaveChangedHasNot() {
        var run = new Run(Long.getLong("volsh.seed", System.nanoTime()));
        for (int step = 0; step < STEPS; step++) {
            run.step(random -> hear(run.unheard));
        }
        assertThat(run.old).as("old ones, seed " + run.seed).isZero();
        assertThat(run.used).as("used, seed " + run.seed).isGreaterThan(STEPS / 200);
        assertThat(run.lost).isPositive();
    }

    /** What the test above is for: one who does not hear of each change. */
    @Test
    void whoIsHardOfHearingReadsWhatIsOld() {
        var run = new Run(Long.getLong("volsh.seed", System.nanoTime()));
        for (int step = 0; step < 40_000; step++) {
            run.step(random -> {
                run.unheard.removeIf(key -> random.nextInt(4) == 0);
                hear(run.unheard);
            });
        }
        assertThat(run.old).as("old ones, seed " + run.seed).isPositive();
    }

    /**
     * A database, those who ask it, and one who hears of changes later; an answer may be older than what was heard
     * meanwhile.
     */
    private final class Run {
        private final long seed;
        private final Random random;
        private final NavigableMap<MetaKey, Long> rows = new TreeMap<>();
        private final List<MetaKey> unheard = new ArrayList<>();
        private final List<Runnable> underway = new ArrayList<>();   // answers that have not come yet
        private long version;
        private int used;
        private int old;
        private int lost;

        Run(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            System.out.println("remembered seed " + seed);
            remembered.begin();
        }

        void step(Consumer<Random> hearing) {
            var key = row(random.nextInt(3), random.nextInt(4));
            switch (random.nextInt(16)) {
                case 0 -> change(key);
                case 1 -> hearing.accept(random);
                case 2, 3, 4, 5 -> {
                    long asked = remembered.round();
                    var answer = Optional.ofNullable(rows.get(key)).map(now -> found(key, now));
                    underway.add(() -> remembered.learn(asked, key, answer));
                }
                case 6, 7 -> {
                    long asked = remembered.round();
                    var answer = someScan();
                    underway.add(() -> remembered.learn(asked, answer));
                }
                case 8, 9 -> read(key, hearing);
                default -> {
                    do {
                        if (!underway.isEmpty()) {
                            underway.remove(random.nextInt(underway.size())).run();
                        }
                    } while (underway.size() > 5);
                }
            }
        }

        private void change(MetaKey key) {
            if (random.nextInt(3) == 0) {
                rows.remove(key);
            } else {
                rows.put(key, ++version);
            }
            unheard.add(key);
        }

        private Scan someScan() {
            return scan(rows, random.nextInt(3), random.nextInt(4), 1 + random.nextInt(3));
        }

        /** As a read does: takes what is remembered, hears the log, and looks whether that was in it. */
        private void read(MetaKey key, Consumer<Random> hearing) {
            long began = remembered.round();
            var known = recalled(key);
            var now = someScan();
            var listed = remembered.recall(now.from(), now.to(), now.limit());
            if (random.nextInt(200) == 0) {
                loseTrack();
            }
            hearing.accept(random);
            if (known != null && !remembered.hasChanged(began, List.of(key), List.of())) {
                used++;
                old += known.map(Found::version).equals(Optional.ofNullable(rows.get(key))) ? 0 : 1;
            }
            if (listed.isPresent() && !remembered.hasChanged(began, List.of(), List.of(listed.get()))) {
                used++;
                old += Arrays.equals(listed.get().digest(), now.digest()) ? 0 : 1;
            }
        }

        /** The connection is lost, or the log was cut off. */
        private void loseTrack() {
            lost++;
            unheard.clear();
            if (random.nextBoolean()) {
                remembered.end();
                remembered.begin();
            } else {
                remembered.muchChanged();
            }
        }
    }

    private void hear(List<MetaKey> unheard) {
        remembered.changed(unheard);
        unheard.clear();
    }

    private static Scan scan(NavigableMap<MetaKey, Long> rows, int group, int from, int limit) {
        var first = row(group, from);
        var end = row(group, 9);
        return new Scan(first, end, limit, rows.subMap(first, end).entrySet().stream().limit(limit)
                .map(each -> found(each.getKey(), each.getValue())).toList());
    }

    @Test
    void thereIsRoomForSoMuch() {
        remembered.begin();
        for (int i = 0; i < 45_000; i++) {
            remembered.learn(remembered.round(), row(i, 1), Optional.empty());
            remembered.learn(remembered.round(), new Scan(row(i, 0), row(i, 9), 10, List.of()));
        }
        assertThat(remembered.size()).isLessThanOrEqualTo(40_000);
        assertThat(recalled(row(44_999, 1))).as("the last one").isEmpty();
        assertThat(recalled(row(0, 1))).as("the first one").isNull();
        var large = row(7, 7);
        remembered.learn(remembered.round(), large, Optional.of(new Found(large, new byte[100_000], 1, false)));
        assertThat(recalled(large)).isNull();
    }

    /** Who began before changes that are not known by name any more cannot know. */
    @Test
    void changesBeyondCountingCountAsChanges() {
        remembered.begin();
        long began = remembered.round();
        var other = row(1, 1);
        remembered.changed(List.of(row(2, 2)));
        assertThat(remembered.hasChanged(began, List.of(other), List.of())).isFalse();
        assertThat(remembered.hasChanged(began, List.of(row(2, 2)), List.of())).isTrue();
        for (int i = 0; i < 20; i++) {
            var many = new ArrayList<MetaKey>();
            for (int j = 0; j < 1_000; j++) {
                many.add(row(10 + i, j));
            }
            remembered.changed(many);
        }
        assertThat(remembered.hasChanged(began, List.of(other), List.of())).isTrue();
        assertThat(remembered.hasChanged(remembered.round(), List.of(other), List.of())).isFalse();
        remembered.end();
        assertThat(remembered.hasChanged(remembered.round(), List.of(other), List.of())).isTrue();
        remembered.learn(remembered.round(), other, Optional.empty());
        assertThat(recalled(other)).isNull();
    }

    /** Changes of these are not in the log. */
    @Test
    void sessionsCountersAndTheTickAreNotKept() {
        remembered.begin();
        List.of("s12345678", "cinode", "t").forEach(name -> {
            remembered.learn(remembered.round(), key(name), Optional.empty());
            assertThat(recalled(key(name))).isNull();
        });
    }
}
