package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.TestHost;
import volsh.volume.Volumes;

/** Completion knows what is in the catalog, and looks nowhere else. */
final class LiveNamesTest {
    @TempDir
    Path directory;

    private List<String> complete(Scratch scratch, String... words) {
        var line = new ArrayList<>(List.of("__complete", "--shell", "bash", "--"));
        line.addAll(List.of(words));
        var host = new TestHost();
        host.services().with(Volumes.class, scratch::volumes);
        var exit = host.run(Commands.tree(host.services(), Duration.ofSeconds(60)), line.toArray(String[]::new));
        assertThat(exit.status()).as(host.err()).isZero();
        return host.out().lines().map(each -> each.split("\t")[0]).toList();
    }

    @Test
    void volumesStoresAndProfiles() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        assertThat(complete(scratch, "volume", "show", "")).isEmpty();
        assertThat(scratch.files()).as("completion makes nothing").isEmpty();
        assertThat(scratch.run("volume create training-data").status()).isZero();
        assertThat(scratch.run("store add lake file://" + directory.resolve("lake")).status()).isZero();
        Files.writeString(scratch.home().resolve("state/catalog/volumes/damaged.json"), "not even JSON");
        assertThat(complete(scratch, "volume", "show", "tr")).containsExactly("training-data");
        assertThat(complete(scratch, "volume", "destroy", "")).containsExactly("damaged", "training-data");
        assertThat(complete(scratch, "volume", "create", "new", "--store", "")).containsExactly("default", "lake");
        assertThat(complete(scratch, "volume", "create", "new", "--store=l")).containsExactly("--store=lake");
        assertThat(complete(scratch, "volume", "create", "new", "--profile", "vi")).containsExactly("video");
        assertThat(complete(scratch, "volume", "create", "new", "--compression", "z")).containsExactly("zstd:3");
        assertThat(complete(scratch, "mount", "tr")).containsExactly("training-data");
        assertThat(complete(scratch, "service", "install", "tr")).containsExactly("training-data");
        assertThat(complete(scratch, "store", "probe", "l")).containsExactly("lake");
        assertThat(complete(scratch, "df", "training-data", "")).contains("training-data");
    }
}
