package volsh.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.inventory.PlaceRows;
import volsh.inventory.Row;

/** Where blocks lie and what stores lack of them: more of it than a page. */
final class PlaceScaleTest {
    private static final int LAYOUTS = 1_100;

    @TempDir
    Path directory;

    /** Policies that were set and sets of stores that blocks were laid on are written down for good. */
    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void layoutsKeepTheirNumbers(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            var rows = new ArrayList<Row>();
            for (int i = 1; i <= LAYOUTS; i++) {
                rows.add(new Row.Layout(i, "stripe:2 on %d %d".formatted(i, i + 1)));
            }
            Scale.put(volume.engine, rows);
            var places = new PlaceRows(volume.engine);
            assertThat(places.number("stripe:2 on 1 2")).isEqualTo(1);
            assertThat(places.number("stripe:2 on %d %d".formatted(LAYOUTS, LAYOUTS + 1))).isEqualTo(LAYOUTS);
            assertThat(places.number("mirror:2 on 1 2")).isEqualTo(LAYOUTS + 1);
            assertThat(places.number("mirror:2 on 1 2")).isEqualTo(LAYOUTS + 1);
            assertThat(places.arrangements()).hasSize(LAYOUTS + 2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void whatStoresLackIsListedAndDismissed(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            volume.file("f", Scale.MANY);
            volume.file("gone", 900);
            volume.unlink("gone");
            volume.pass();
            volume.freeOrphans();
            var places = new PlaceRows(volume.engine);
            var all = new HashSet<Long>();
            long last = 0;
            for (var page = places.blocks(last); !page.isEmpty(); page = places.blocks(last)) {
                page.forEach(row -> all.add(row.id()));
                last = page.getLast().id();
            }
            assertThat(all).as("dead ones are left out").hasSize(Scale.MANY);
            var ids = List.copyOf(all);
            for (int i = 0; i < ids.size(); i += 400) {
                places.missing(2, ids.subList(i, Math.min(ids.size(), i + 400)));
            }
            assertThat(places.countMissing()).isEqualTo(Scale.MANY);
            assertThat(places.anyOldest(10_000, layout -> layout == 9)).isFalse();
            volume.times(ids.size(), engine -> i -> new PlaceRows(engine).found(ids.get(i), Set.of(2)));
            assertThat(places.countMissing()).isZero();
            places.missing(3, List.of(1L << 40));
            places.dismiss(new PlaceRows.Missing(3, 1L << 40), OptionalInt.empty());
            assertThat(places.missing(null)).isEmpty();
        }
    }
}
