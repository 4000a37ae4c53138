package volsh.command.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.s3test.S3Server;

/** Buckets as a user meets them. */
final class S3StoreCommandsTest {
    @TempDir
    Path directory;
    private Scratch scratch;
    private S3Server server;

    @BeforeEach
    void home() throws Exception {
        scratch = new Scratch(directory.resolve("home"));
        server = S3Server.shared();
    }

    private Ended ok(String line) {
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    @Test
    void aVolumeLivesInABucket() throws Exception {
        String bucket = server.newBucket();
        String add = "store add lake s3://%s/vol --endpoint %s --region us-east-1 --anonymous"
                .formatted(bucket, server.endpoint());
        assertThat(ok(add + " -n").out()).contains("add", "store 'lake'");
        assertThat(ok("store list -o name").out()).isEqualTo("default\n");
        ok(add);
        assertThat(ok("store show lake -o json").out()).contains(
                "s3://%s/vol?anonymous=true&endpoint=%s&region=us-east-1".formatted(bucket, server.endpoint()));
        assertThat(ok("store probe lake --count 2 --size 8KiB -o csv --columns operation,requests").out())
                .isEqualTo("operation,requests\nput,2\nget,2\nrange,2\nlist,2\ndelete,2\n");
        ok("volume create imagenet --store lake --block-size 64KiB");
        byte[] bytes = new byte[300_000];
        new Random(1).nextBytes(bytes);
        Files.write(directory.resolve("file"), bytes);
        ok("put %s imagenet:/file".formatted(directory.resolve("file")));
        ok("get imagenet:/file %s".formatted(directory.resolve("back")));
        assertThat(Files.readAllBytes(directory.resolve("back"))).isEqualTo(bytes);
        assertThat(ok("store show lake --count -o json").out()).contains("\"volumes\": [", "\"imagenet\"")
                .doesNotContain("\"objects\": 0,");
        ok("volume destroy imagenet --confirm imagenet");
        assertThat(ok("store show lake --count -o json").out()).contains("\"objects\": 0");
    }

    @Test
    void aMissingBucketIsTold() {
        ok("store add lake s3://nobody-has-this --anonymous --endpoint " + server.endpoint());
        Ended probed = scratch.run("store probe lake");
        assertThat(probed.status()).as(probed.err()).isEqualTo(3);
        assertThat(probed.err()).contains("no such bucket: 'nobody-has-this'");
    }
}
