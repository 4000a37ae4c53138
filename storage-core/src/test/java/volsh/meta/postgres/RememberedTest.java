package volsh.meta.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.meta.MetaEngineContract.key;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import volsh.meta.MetaKey;
import volsh.meta.postgres.Reads.Scan;

/** What is remembered is what is so, as far as the log was heard, in whatever order questions, answers and changes come; and there is only so much of it. */
final class RememberedTest {
    private static final int STEPS = Boolean.getBoolean("volsh.long") ? 2_000_000 : 40_000;

    private final Remembered remembered = new Remembered(new Pace(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO));

    private static MetaKey row(int group, int name) {
        return key("E%08d%d".formatted(group, name));
    }

    private static Found found(MetaKey key, long version) {
        return new Found(key, new byte[0], version);
    }

    private Optional<Found> recalled(MetaKey key) {
        var target = new HashMap<MetaKey, Optional<Found>>();
        return remembered.recall(key, target) ? target.get(key) : null;
    }

    /** A database, those who ask it, and one who hears of changes later; an answer may be older than what was heard meanwhile. */
    @Test
    void whatIsNotHeardToHaveChangedHasNot() {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        System.out.println("remembered seed " + seed);
        var random = new Random(seed);
        var rows = new TreeMap<MetaKey, Long>();
        var unheard = new ArrayList<MetaKey>();
        var underway = new ArrayList<Runnable>();   // answers that have not come yet
        long version = 0;
        int used = 0;
        int lost = 0;
        remembered.begin();
        for (int step = 0; step < STEPS; step++) {
            var key = row(random.nextInt(3), random.nextInt(4));
            switch (random.nextInt(8)) {
                case 0 -> {
                    if (random.nextInt(3) == 0) {
                        rows.remove(key);
                    } else {
                        rows.put(key, ++version);
                    }
                    unheard.add(key);
                }
                case 1 -> hear(unheard);
                case 2, 3 -> {
                    long asked = remembered.round();
                    var answer = Optional.ofNullable(rows.get(key)).map(now -> found(key, now));
                    underway.add(() -> remembered.learn(asked, key, answer));
                }
                case 4 -> {
                    long asked = remembered.round();
                    var answer = scan(rows, random.nextInt(3), random.nextInt(4), 1 + random.nextInt(5));
                    underway.add(() -> remembered.learn(asked, answer));
                }
                case 5, 6 -> {
                    if (!underway.isEmpty()) {
                        underway.remove(random.nextInt(underway.size())).run();
                    }
                }
                default -> {
                    long began = remembered.round();
                    var known = recalled(key);
                    var near = scan(rows, random.nextInt(3), random.nextInt(4), 1 + random.nextInt(5));
                    var listed = remembered.recall(near.from(), near.to(), near.limit());
                    if (random.nextInt(200) == 0) {   // the connection is lost, or the log was cut off
                        lost++;
                        unheard.clear();
                        if (random.nextBoolean()) {
                            remembered.end();
                            remembered.begin();
                        } else {
                            remembered.muchChanged();
                        }
                    }
                    hear(unheard);
                    if (known != null && !remembered.hasChanged(began, List.of(key), List.of())) {
                        used++;
                        assertThat(known.map(Found::version)).as("seed %d, step %d", seed, step).isEqualTo(Optional.ofNullable(rows.get(key)));
                    }
                    if (listed.isPresent() && !remembered.hasChanged(began, List.of(), List.of(listed.get()))) {
                        used++;
                        assertThat(listed.get().found()).as("seed %d, step %d", seed, step).extracting(Found::version)
                                .isEqualTo(near.found().stream().map(Found::version).toList());
                    }
                }
            }
        }
        assertThat(used).isGreaterThan(STEPS / 100);
        assertThat(lost).isPositive();
    }

    private void hear(List<MetaKey> unheard) {
        remembered.changed(unheard);
        unheard.clear();
    }

    private static Scan scan(NavigableMap<MetaKey, Long> rows, int group, int from, int limit) {
        var first = row(group, from);
        var end = row(group, 9);
        return new Scan(first, end, limit, rows.subMap(first, end).entrySet().stream().limit(limit).map(each -> found(each.getKey(), each.getValue())).toList());
    }

    @Test
    void thereIsRoomForSoMuch() {
        remembered.begin();
        for (int i = 0; i < 100_000; i++) {
            remembered.learn(remembered.round(), row(i, 1), Optional.empty());
            remembered.learn(remembered.round(), new Scan(row(i, 0), row(i, 9), 10, List.of()));
        }
        assertThat(remembered.size()).isLessThanOrEqualTo(40_000);
        assertThat(recalled(row(99_999, 1))).as("the last one").isEmpty();
        assertThat(recalled(row(0, 1))).as("the first one").isNull();
        var large = row(7, 7);
        remembered.learn(remembered.round(), large, Optional.of(new Found(large, new byte[100_000], 1)));
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
