package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a mount of a bucket knows of names, and for how long. */
final class NameCacheTest {
    private final AtomicLong nanos = new AtomicLong(1);
    private final NameCache names = new NameCache(Duration.ofSeconds(10), false, nanos::get);

    private static DirectoryItem file(String name, String etag) {
        return DirectoryItem.file(name, false, new ObjectState(1, 1, etag, null));
    }

    private static List<DirectoryItem> files(int count) {
        return IntStream.range(0, count).mapToObj(i -> file("f" + i, "e")).toList();
    }

    @Test
    void presenceAndAbsenceAreBelievedForAWhileFromTheRequestOn() {
        names.found("d/", "a", file("a", "1"), 1);
        names.found("d/", "none", null, 1);
        nanos.addAndGet(Duration.ofSeconds(9).toNanos());
        assertThat(names.find("d/", "a").item()).isNotNull();
        assertThat(names.find("d/", "none").item()).isNull();
        assertThat(names.valid(1, true)).isEqualTo(Duration.ofSeconds(1));
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(names.find("d/", "a")).isNull();
        assertThat(names.find("d/", "none")).isNull();
    }

    @Test
    void whatThisMountDidIsBelievedOverAnEarlierAnswer() {
        long asked = names.now();
        nanos.incrementAndGet();
        names.changed("", "a", null);
        names.found("", "a", file("a", "1"), asked);
        assertThat(names.find("", "a").item()).isNull();
        nanos.incrementAndGet();
        names.found("", "a", file("a", "1"), names.now());
        assertThat(names.find("", "a").item()).as("negative control").isNotNull();
    }

    @Test
    void aListingThatBeganBeforeAChangeIsNotRemembered() {
        long changes = names.changes("d/");
        names.changed("d/", "a", null);
        names.listed("d/", List.of(file("a", "1")), names.now(), changes);
        assertThat(names.listing("d/")).isNull();
        names.listed("d/", List.of(file("a", "1")), names.now(), names.changes("d/"));
        assertThat(names.listing("d/").items()).as("negative control").hasSize(1);
        nanos.incrementAndGet();
        names.changed("d/", "b", file("b", "2"));
        assertThat(names.listing("d/").items()).hasSize(2);
        assertThat(names.find("d/", "c").item()).as("known to be absent").isNull();
    }

    @Test
    void aVeryLargeDirectoryIsNotRemembered() {
        names.listed("big/", files(50_001), names.now(), 0);
        assertThat(names.listing("big/")).isNull();
        names.listed("less/", files(50_000), names.now(), 0);
        assertThat(names.listing("less/").items()).hasSize(50_000);
    }

    @Test
    void manyDirectoriesAreForgottenOldestFirst() {
        var some = files(50_000);
        for (int i = 0; i < 9; i++) {
            names.listed(i + "/", some, names.now(), 0);
        }
        assertThat(names.listing("0/")).isNull();
        assertThat(names.listing("8/").items()).hasSize(50_000);
    }

    @Test
    void manyNamesAreForgottenOldestFirst() {
        for (int i = 0; i < 100_001; i++) {
            names.found("", "n" + i, null, names.now());
        }
        assertThat(names.find("", "n0")).isNull();
        assertThat(names.find("", "n100000")).isNotNull();
    }
}
