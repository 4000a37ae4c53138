package volsh.command.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.s3test.S3Server;

/** Datasets and shards in buckets: everything that can be done with those on a disk, with the same bytes. */
@Tag("volume")
final class ShardBucketsTest {
    @TempDir
    Path directory;
    private Scratch machine;
    private String bucket;
    private String flags;

    @BeforeEach
    void aDatasetAndABucket() throws IOException {
        machine = new Scratch(directory.resolve("home"));
        var server = S3Server.shared();
        bucket = "s3://" + server.newBucket();
        flags = " --anonymous --endpoint " + server.endpoint();
        var random = new Random(1);
        for (int i = 0; i < 60; i++) {
            var folder = Files.createDirectories(directory.resolve("data/n" + i % 3));
            byte[] bytes = new byte[1000 + 200 * i];
            random.nextBytes(bytes);
            Files.write(folder.resolve("%03d.jpg".formatted(i)), bytes);
        }
        ok("store add lake %s/lake%s".formatted(bucket, flags));
        ok("shard pack DATA SHARDS --samples 20 --shuffle --seed 3");
    }

    /** DATA and SHARDS are local, BUCKET is the bucket. */
    private String line(String line) {
        return line.replace("DATA", directory.resolve("data").toString())
                .replace("SHARDS", directory.resolve("shards").toString()).replace("HERE", directory.toString())
                .replace("BUCKET", bucket) + (line.contains("BUCKET") ? flags : "");
    }

    private Ended ended(String line, int status) {
        var ended = machine.run(line(line));
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended;
    }

    private Ended ok(String line) {
        return ended(line, 0);
    }

    private TreeMap<String, byte[]> tree(String name) throws IOException {
        var tree = new TreeMap<String, byte[]>();
        var root = directory.resolve(name);
        try (var files = Files.walk(root)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                tree.put(root.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return tree;
    }

    private void requireSame(String one, String other) throws IOException {
        var expected = tree(other);
        var found = tree(one);
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        for (var name : expected.keySet()) {
            assertThat(found.get(name)).as(name).isEqualTo(expected.get(name));
        }
    }

    @Test
    void aBucketGetsWhatADiskGets() throws IOException {
        assertThat(ok("shard pack DATA BUCKET/a/shards --samples 20 --shuffle --seed 3 -n").out())
                .contains("write", bucket + "/a/shards");
        ok("shard pack DATA BUCKET/a/shards --samples 20 --shuffle --seed 3");
        assertThat(ok("shard pack DATA BUCKET/a/shards --samples 20 --shuffle --seed 3").err())
                .contains("3 shards of 3 complete already");
        ok("get -r BUCKET/a/shards HERE/got");
        requireSame("got", "shards");
        assertThat(ended("shard pack DATA BUCKET/a/shards --samples 10", 4).err()).contains("exists already");
    }

    @Test
    void everyVerbReadsABucket() throws IOException {
        ok("shard pack DATA lake://shards --samples 20 --shuffle --seed 3");
        assertThat(ok("shard list lake://shards -o csv --columns samples,index").out())
                .isEqualTo("samples,index\n20,true\n20,true\n20,true\n");
        assertThat(ok("shard list BUCKET/lake/shards/shard-00000{0,1}.tar -o value:samples").out())
                .isEqualTo("20\n20\n");
        assertThat(ok("shard list 'lake://shards/*1.tar' -o value:samples").out()).isEqualTo("20\n");
        var local = ok("shard show SHARDS/shard-000001.tar -o csv").out();
        assertThat(ok("shard show lake://shards/shard-000001.tar -o csv").out()).isEqualTo(local);
        var key = local.lines().skip(1).findFirst().orElseThrow().split(",")[0];
        assertThat(ok("shard cat lake://shards/shard-000001.tar %s cls".formatted(key)).out()).matches("[012]");
        assertThat(ok("shard verify BUCKET/lake/shards").err()).contains("3 shards, 60 samples, all ok");
        var read = "shard read %s --shuffle 20 --seed 7 -o value:key --limit 30";
        assertThat(ok(read.formatted("lake://shards")).out()).isEqualTo(ok(read.formatted("SHARDS")).out());
        assertThat(ok("shard plan lake://shards --world 3 -o value:samples").out()).isEqualTo("20\n20\n20\n");
        assertThat(ok("shard assign lake://shards --rank 1 --world 3 -o value:shard").out())
                .isEqualTo("lake://shards/shard-000001.tar\n");
    }

    @Test
    void aDatasetInABucketIsPackedAndUnpackedThere() throws IOException {
        ok("put -r DATA BUCKET");
        ok("shard pack BUCKET/data HERE/packed --samples 20 --shuffle --seed 3");
        var packed = tree("packed");
        for (var shard : tree("shards").entrySet()) {
            if (!shard.getKey().equals("dataset.json")) {   // which has the times of the files
                assertThat(packed.get(shard.getKey())).as(shard.getKey()).isEqualTo(shard.getValue());
            }
        }
        ok("shard unpack SHARDS lake://files --fields jpg");
        ok("get -r lake://files HERE/files");
        requireSame("files", "data");
        assertThat(ended("shard unpack SHARDS lake://files --fields jpg", 4).err())
                .contains("exists already", "--force");
        ok("shard unpack SHARDS lake://files --fields jpg --force");
        ok("shard convert SHARDS lake://x --to records");
        ok("shard convert lake://x BUCKET/mds --to mds");
        ok("shard verify BUCKET/mds");
        assertThat(ended("shard pack BUCKET/data BUCKET/data/shards", 2).err()).contains("lies within");
    }

    @Test
    void anIndexIsWrittenBesideAShard() throws IOException {
        ok("put SHARDS/shard-000000.tar BUCKET/t.tar");
        ok("shard index BUCKET/t.tar");
        ok("get BUCKET/t.tar.idx HERE/idx");
        assertThat(directory.resolve("idx")).hasSameBinaryContentAs(directory.resolve("shards/shard-000000.tar.idx"));
    }

    @Test
    void whatIsWrongIsSaidInOneLine() {
        assertThat(ended("shard list BUCKET/nowhere", 3).err()).contains(bucket + "/nowhere", "no such shard");
        assertThat(ended("shard pack BUCKET/nowhere HERE/x", 3).err()).contains("no such directory");
        assertThat(ended("shard list nolake://x", 3).err()).contains("no such store: 'nolake'");
        var missing = ended("shard pack DATA s3://no-such-bucket-anywhere/x --anonymous --endpoint "
                + flags.substring(flags.indexOf("http")), 3);
        assertThat(missing.err()).contains("no such bucket");
        assertThat(missing.err().lines().filter(line -> line.startsWith("error: "))).hasSize(1);
    }
}
