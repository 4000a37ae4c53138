package volsh.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import volsh.engine.StateMark;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.vfs.FilesByPath;

/** What the gateway remembers has a bound, and what is asked for again and again stays. */
final class RecentObjectsTest {
    private static final int BYTES = 1 << 20;

    private static Bucket.Located object(int size) {
        var file = new Attributes(7, FileKind.REGULAR, 0644, 0, 0, 1, size, size, 0, 0, 0, 0, 1);
        return new Bucket.Located(new FilesByPath.Found(file, Optional.empty(), Optional.of(new byte[size]),
                StateMark.of(1)), new ObjectFacts("tag", 1, Map.of()));
    }

    @Test
    void memoryIsBounded() {
        var recent = new RecentObjects(BYTES);
        for (int i = 0; i < 10_000; i++) {
            recent.put("key" + i, object(4096));
            assertThat(recent.count()).isLessThanOrEqualTo(BYTES / 4096);
        }
        assertThat(recent.count()).isGreaterThan(BYTES / 3 / 4096);
        assertThat(recent.get("key9999")).isNotNull();
        assertThat(recent.get("key0")).isNull();
    }

    @Test
    void whatIsUsedStays() {
        var recent = new RecentObjects(BYTES);
        recent.put("used", object(100));
        for (int i = 0; i < 5000; i++) {
            recent.put("other" + i, object(4096));
            assertThat(recent.get("used")).as("after %d others", i).isNotNull();
        }
    }

    @Test
    void replacingAnObjectTakesNoMoreMemory() {
        var recent = new RecentObjects(BYTES);
        recent.put("kept", object(10));
        for (int i = 0; i < 10_000; i++) {
            recent.put("same", object(4096));
        }
        assertThat(recent.count()).isEqualTo(2);
        assertThat(recent.get("same")).isNotNull();
    }
}
