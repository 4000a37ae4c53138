package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.s3test.S3Server;

/** {@code volsh sync} and {@code volsh stage} between local directories, volumes and buckets. */
@Tag("volume")
final class SyncCommandTest {
    @TempDir
    Path directory;
    private FileHome home;

    @BeforeEach
    void prepare() throws Exception {
        var server = S3Server.shared();
        home = new FileHome(directory);
        home.succeed("store add lake s3://" + server.newBucket() + "/lake --anonymous --endpoint "
                + server.endpoint());
        home.text("tree/a/x", "xx");
        home.text("tree/a/y z", "yyy");
        home.text("tree/b", "b");
        home.text("tree/c.tmp", "t");
    }

    @Test
    void placesBecomeTheSameAndStaySo() throws Exception {
        assertThat(home.succeed("sync @tree data:/tree -n").out())
                .contains("would copy data:/tree/a/x", "would copy data:/tree/b");
        assertThat(home.succeed("sync @tree data:/tree --exclude '*.tmp'").err()).contains("copied 3 files, 6B");
        assertThat(home.succeed("sync @tree data:/tree --exclude '*.tmp'").err())
                .contains("copied 0 files, 0B, 3 files unchanged");
        home.succeed("sync data:/tree lake://tree");
        assertThat(home.succeed("sync data:/tree lake://tree -o json").out()).contains("\"unchanged\": 3");
        Files.delete(home.local("tree/b"));
        home.text("tree/a/x", "longer");
        assertThat(home.succeed("sync @tree data:/tree --exclude '*.tmp'").err())
                .contains("copied 1 file", "the target has 1 file more (--delete removes them)");
        assertThat(home.succeed("sync @tree data:/tree --exclude '*.tmp' --delete").err()).contains("removed 1");
        home.succeed("sync data:/tree lake://tree --delete");
        assertThat(home.succeed("sync data:/tree lake://tree --delete -n --exit-code").out()).isEmpty();
        home.succeed("sync lake://tree @back --checksum");
        assertThat(home.local("back/a/x")).hasContent("longer");
        assertThat(home.local("back/b")).doesNotExist();
    }

    @Test
    void stagedDataIsVerified() throws Exception {
        home.succeed("sync @tree data:/tree");
        home.succeed("stage data:/tree @fast");
        var file = home.local("fast/a/x");
        var time = Files.getLastModifiedTime(file);
        Files.writeString(file, "XX");
        Files.setLastModifiedTime(file, time);
        assertThat(home.succeed("stage data:/tree @fast").err()).contains("copied 0 files");
        assertThat(home.succeed("stage data:/tree @fast --verify").err()).contains("copied 1 file");
        assertThat(file).hasContent("xx");
        home.refused("stage data:/tree other:/x", 2, "local directory");
    }

    @Test
    void whatIsMoreOftenAMistakeIsRefused() throws Exception {
        home.succeed("sync @tree data:/tree");
        Files.createDirectory(home.local("empty"));
        home.refused("sync @empty data:/tree --delete", 4, "would remove everything");
        home.refused("sync @nothing data:/tree", 3, "no such file");
        home.refused("sync @tree/b data:/tree", 1, "is not a directory");
        home.refused("sync data:/tree data:/tree/a", 2, "within the other");
        home.refused("sync data:/tree data:/tree/", 2, "same place");
        home.refused("sync @tree data:/tree --part 1MiB", 2, "--part must be from 5MiB");
        assertThat(home.tree()).contains("/tree/b 1");
    }
}
