package volsh.command.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.json.Json;
import volsh.s3test.OlderServer;
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
                .isEqualTo("operation,requests\nconditional put,1\nput checksum,1\nrange,1\nlist v2,1\n"
                        + "multi-delete,1\nversioning,1\nput,2\nget,2\nrange,2\nlist,2\ndelete,2\n");
        ok("volume create imagenet --store lake --block-size 64KiB");
        byte[] bytes = new byte[300_000];
        new SplittableRandom(1).nextBytes(bytes);
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

    /** A server without conditional puts is refused with the options it needs; with them, volumes work there. */
    @Test
    void anOlderServerIsUsedWithOptions() throws Exception {
        String bucket = server.newBucket();
        try (var older = new OlderServer(server)) {
            String add = "store add old s3://%s/v --anonymous --region us-east-1 --endpoint %s"
                    .formatted(bucket, older.endpoint());
            Ended refused = scratch.run(add);
            assertThat(refused.status()).as(refused.err()).isEqualTo(2);
            assertThat(refused.err()).contains("lacks what volsh uses", "conditional put", "put checksum",
                    "it verifies Content-MD5", "--checksum md5 --no-conditional-put").doesNotContain("path-style");
            assertThat(scratch.run("store show old").status()).isEqualTo(3);
            ok(add + " --no-probe");
            Ended probed = scratch.run("store probe old");
            assertThat(probed.status()).as(probed.err()).isEqualTo(2);
            assertThat(probed.err()).contains("volsh store remove old", "--checksum md5 --no-conditional-put");
            Ended created = scratch.run("volume create early --store old");
            assertThat(created.err()).contains("does not implement this request", "volsh store probe")
                    .doesNotContain("path-style");
            ok("store remove old");
            Ended added = ok(add + " --no-conditional-put --checksum md5");
            assertThat(added.err()).doesNotContain("warning: the server");
            var found = Json.read(("{\"rows\":" + ok("store probe old --count 1 -o json").out() + "}")
                    .getBytes(StandardCharsets.UTF_8)).list("rows");
            assertThat(found).extracting(row -> row.text("operation") + " " + row.text("answer")).contains(
                    "conditional put ignored", "put checksum no", "range yes", "list v2 yes", "multi-delete no",
                    "versioning unknown", "put yes");
            int before = older.refused();
            ok("volume create train --store old");
            byte[] bytes = new byte[300_000];
            new SplittableRandom(2).nextBytes(bytes);
            Files.write(directory.resolve("file"), bytes);
            ok("put %s train:/file".formatted(directory.resolve("file")));
            ok("get train:/file %s".formatted(directory.resolve("back")));
            assertThat(Files.readAllBytes(directory.resolve("back"))).isEqualTo(bytes);
            ok("volume check train");
            ok("volume destroy train --confirm train");
            assertThat(older.refused() - before).as("only the deletion of many objects").isLessThan(10);
        }
    }

    @Test
    void aServerThatNeedsNoOptionIsSaidToNeedNone() throws Exception {
        Ended added = ok("store add lake s3://%s --anonymous --region us-east-1 --endpoint %s --no-conditional-put"
                .formatted(server.newBucket(), server.endpoint()));
        assertThat(added.err()).contains("the server does not need --no-conditional-put");
        assertThat(scratch.run("store add disk file:///tmp/x --no-conditional-put").err())
                .contains("--no-conditional-put needs an s3:// store");
        assertThat(scratch.run("store add b s3://bucket --checksum sha1").err()).contains("crc32c or md5");
    }
}
