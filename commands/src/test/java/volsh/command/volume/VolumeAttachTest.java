package volsh.command.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.s3test.OlderServer;
import volsh.s3test.S3Server;

/** A machine is lost; its bucket is all there is. */
final class VolumeAttachTest {
    @TempDir
    Path directory;
    private Scratch first;
    private Scratch second;
    private String bucket;
    private String how;

    @BeforeEach
    void machines() throws Exception {
        first = new Scratch(directory.resolve("first"));
        second = new Scratch(directory.resolve("second"));
        bucket = "s3://" + S3Server.shared().newBucket() + "/volumes";
        how = " --endpoint %s --region us-east-1 --anonymous".formatted(S3Server.shared().endpoint());
    }

    private static Ended ok(Scratch machine, String line) {
        Ended ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    private static Ended refused(Scratch machine, String line, int status) {
        Ended ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended;
    }

    @Test
    void everyFileComesBackFromTheBucketAlone() throws Exception {
        var source = directory.resolve("source");
        fill(source);
        ok(first, "store add lake " + bucket + how);
        ok(first, "volume create imagenet --store lake --block-size 64KiB --label team=vision");
        assertThat(ok(first, "volume show imagenet -o value:shipMetadata").out()).isEqualTo("on\n");
        ok(first, "put -r %s imagenet:/".formatted(source));
        ok(first, "mv imagenet:/source/small-3 imagenet:/moved");
        ok(first, "rm imagenet:/source/small-4");
        assertThat(ok(first, "volume show imagenet -o value:unshipped").out()).isEqualTo("0\n");
        ok(first, "get -r imagenet:/ " + directory.resolve("before"));
        ok(first, "volume rename imagenet pictures");
        remove(directory.resolve("first"));

        assertThat(ok(second, "volume attach " + bucket + how + " -n").out()).contains("attach", "volume 'pictures'");
        assertThat(ok(second, "volume list -o name").out()).isEmpty();
        var json = ok(second, "volume attach " + bucket + how + " --as imagenet-2 -o json").out();
        assertThat(json).contains("\"imagenet-2\"", "\"lake\"", "vision");
        ok(second, "get -r imagenet-2:/ " + directory.resolve("after"));
        assertThat(hashes(directory.resolve("after"))).isEqualTo(hashes(directory.resolve("before"))).hasSize(41);
        assertThat(ok(second, "volume show imagenet-2 -o json").out())
                .contains("\"shipMetadata\": \"on\"", "\"unshipped\": 0");
        ok(second, "put %s imagenet-2:/again".formatted(directory.resolve("source/large")));
        assertThat(ok(second, "volume ship imagenet-2 -o value:unshipped").out()).isEqualTo("0\n");
        assertThat(refused(second, "volume attach " + bucket + how, 4).err()).contains("here already, as 'imagenet-2'");
    }

    @Test
    void theFormerMachineIsTold() throws Exception {
        fill(directory.resolve("source"));
        ok(first, "store add lake " + bucket + how);
        ok(first, "volume create imagenet --store lake --block-size 64KiB");
        ok(first, "put %s imagenet:/large".formatted(directory.resolve("source/large")));
        ok(second, "volume attach " + bucket + how);
        var late = refused(first, "put %s imagenet:/late".formatted(directory.resolve("source/small-1")), 4);
        assertThat(late.err()).contains("attached elsewhere");
        assertThat(refused(first, "put %s imagenet:/later".formatted(directory.resolve("source/small-1")), 4).err())
                .contains("cannot be written here", "volsh volume destroy imagenet");
        assertThat(ok(first, "volume show imagenet -o json").out()).contains("\"attachedElsewhere\": {\"host\":");
        ok(first, "volume destroy imagenet --confirm imagenet");
        ok(second, "get imagenet:/large " + directory.resolve("back"));
        assertThat(Files.mismatch(directory.resolve("back"), directory.resolve("source/large"))).isEqualTo(-1);
        assertThat(ok(second, "ls imagenet:/ -o name").out()).isEqualTo("large\n");
    }

    /** The same where the log is closed for the other host by looking again, not by a conditional put. */
    @Test
    void theFormerMachineIsToldByAServerWithoutConditionalPuts() throws Exception {
        try (var older = new OlderServer(S3Server.shared())) {
            how = " --endpoint %s --region us-east-1 --anonymous --no-conditional-put --checksum md5"
                    .formatted(older.endpoint());
            theFormerMachineIsTold();
        }
    }

    @Test
    void severalVolumesAreListed() {
        assertThat(refused(second, "volume attach " + bucket + how, 3).err()).contains("no volume that ships");
        ok(first, "store add lake " + bucket + how);
        ok(first, "volume create one --store lake");
        ok(first, "volume create two --store lake");
        ok(first, "volume create three --store lake --ship-metadata off");
        var which = refused(second, "volume attach " + bucket + how, 2).err();
        assertThat(which).contains("several", "one (", "two (").doesNotContain("three (");
        ok(second, "volume attach " + bucket + how + " --volume two --store pond");
        assertThat(ok(second, "store list -o name").out()).isEqualTo("default\npond\n");
        refused(second, "volume attach " + bucket + how + " --volume three", 3);
        ok(first, "volume set three ship-metadata=on");
        ok(second, "volume attach " + bucket + how + " --volume three");
        refused(second, "volume attach nowhere", 2);
        refused(second, "volume set three ship-metadata=perhaps", 2);
        assertThat(refused(second, "volume attach s3://nobody-has-this" + how, 3).err()).contains("bucket");
    }

    private static void fill(Path source) throws IOException {
        Files.createDirectories(source);
        var random = new Random(5);
        for (int i = 0; i < 41; i++) {
            byte[] bytes = new byte[i * 700];
            random.nextBytes(bytes);
            Files.write(source.resolve("small-" + i), bytes);
        }
        byte[] large = new byte[700_000];
        random.nextBytes(large);
        Files.write(source.resolve("large"), large);
    }

    private static TreeMap<String, String> hashes(Path tree) throws Exception {
        var found = new TreeMap<String, String>();
        try (var all = Files.walk(tree)) {
            for (var path : all.filter(Files::isRegularFile).toList()) {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(path));
                found.put(tree.relativize(path).toString(), HexFormat.of().formatHex(digest));
            }
        }
        return found;
    }

    private static void remove(Path tree) throws IOException {
        try (var all = Files.walk(tree)) {
            for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
