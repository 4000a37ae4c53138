package volsh.imported;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which keys are paths of files, and why others are not. */
final class ObjectPathTest {
    @Test
    void keysBecomePaths() {
        for (var key : List.of("a", "a/b/c.jpg", "with blank", "ü/ß", "...", "a:b", "n".repeat(255))) {
            var path = ObjectPath.of(key).path();
            assertThat(path).as(key).isPresent();
            assertThat(ImportDirectories.text(path.get().directories())).isEqualTo(
                    key.contains("/") ? key.substring(0, key.lastIndexOf('/')) : "");
        }
    }

    @Test
    void aSlashAtTheEndIsADirectory() {
        var path = ObjectPath.of("a/b/").path().orElseThrow();
        assertThat(path.name()).isNull();
        assertThat(ImportDirectories.text(path.directories())).isEqualTo("a/b");
    }

    @Test
    void othersAreRefusedWithAReason() {
        var refused = Map.of("a//b", "empty part", "/a", "empty part", "//", "empty part", "a/../b", "'..'",
                "./a", "'.'", "a\nb", "control", "a\u007f", "control", "x/" + "n".repeat(256), "255 bytes",
                "ü".repeat(128), "255 bytes");
        refused.forEach((key, why) -> {
            assertThat(ObjectPath.of(key).path()).as(key).isEmpty();
            assertThat(ObjectPath.of(key).refused()).as(key).contains(why);
        });
    }
}
