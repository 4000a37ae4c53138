package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.fuse.TestMount;
import volsh.s3test.S3Server;

/** What is wrong with a bucket is said in one line, with its exit code, and nothing is mounted. */
final class BucketMountTest {
    @TempDir
    Path directory;

    private void refused(String words, int status, String said) throws IOException {
        var point = Files.createDirectories(directory.resolve("mnt"));
        var scratch = new Scratch(directory.resolve("home"));
        var result = scratch.run("mount %s --foreground".formatted(words.formatted(point)));
        assertThat(result.status()).as(result.err()).isEqualTo(status);
        assertThat(result.err().lines().filter(line -> line.startsWith("error: "))).hasSize(1);
        assertThat(result.err()).contains(said);
        assertThat(TestMount.isMounted(point)).isFalse();
    }

    @Test
    void aBucketThatIsNotThereIsNotMounted() throws IOException {
        refused("s3://no-such-bucket %s --anonymous --endpoint " + S3Server.shared().endpoint(), 3, "no such bucket");
        refused("lake://prefix %s", 3, "no such store: 'lake'");
    }

    @Test
    void aServerThatIsNotThereIsUnavailable() throws IOException {
        int port;
        try (var closed = new ServerSocket(0)) {
            port = closed.getLocalPort();
        }
        refused("s3://bucket %s --anonymous --endpoint http://127.0.0.1:" + port, 6, "Connection refused");
    }

    @Test
    void missingCredentialsAreForbidden() throws IOException {
        refused("s3://bucket %s --profile nobody-has-this --endpoint " + S3Server.shared().endpoint(), 9,
                "nobody-has-this");
    }

    @Test
    void optionsOfVolumesAndBucketsAreToldApart() throws IOException {
        refused("s3://bucket %s --writeback", 2, "--writeback is for volumes");
        refused("s3://bucket %s -O writeback", 2, "-O writeback is for volumes");
        refused("s3://bucket %s -O cache_expand", 2, "-O cache_expand is for volumes");
        refused("s3://bucket %s -O acl,ro", 2, "-O acl is for volumes");
        refused("s3://bucket %s --part 1MiB", 2, "--part is from 5MiB to 128MiB");
        refused("data %s --ttl 1s", 2, "--ttl is for buckets");
        refused("file:///tmp %s", 2, "is a directory");
    }
}
