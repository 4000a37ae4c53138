package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.HomeProcesses;
import volsh.s3test.S3Server;

/** The image has all that S3 needs: classes, modules of the runtime, and options of the launcher. */
final class S3ImageTest {
    @TempDir
    Path directory;

    private Image.Ran volsh(String proxy, String... arguments) throws IOException {
        return Image.built().run(Map.of("VOLSH_HOME", directory.resolve("home").toString(), "HTTP_PROXY", proxy,
                "AWS_ACCESS_KEY_ID", "key", "AWS_SECRET_ACCESS_KEY", "secret"), arguments);
    }

    private void ok(String... arguments) throws IOException {
        var ran = volsh("", arguments);
        assertThat(ran.exit()).as(ran.out() + ran.err()).isZero();
    }

    /** The server's name leads nowhere, so only the proxy can have answered; here it is the server itself. */
    @Test
    void proxiesOfTheEnvironmentAreUsed() throws IOException {
        var server = S3Server.shared();
        ok("store", "add", "far", "s3://" + server.newBucket(), "--endpoint", "http://s3.invalid:9000", "--insecure");
        var probed = volsh(server.endpoint(), "store", "probe", "far", "--count", "1");
        assertThat(probed.exit()).as(probed.err()).isZero();
    }

    @Test
    void filesGoToABucketAndBack() throws IOException {
        var server = S3Server.shared();
        byte[] bytes = new byte[9_000_000];
        new SplittableRandom(1).nextBytes(bytes);
        var file = Files.write(directory.resolve("file"), bytes);
        ok("store", "add", "lake", "s3://" + server.newBucket() + "/volumes", "--endpoint", server.endpoint());
        ok("store", "probe", "lake", "--count", "1");
        ok("volume", "create", "imagenet", "--store", "lake");
        ok("put", file.toString(), "imagenet:/file");
        ok("get", "imagenet:/file", directory.resolve("back").toString());
        assertThat(directory.resolve("back")).hasSameBinaryContentAs(file);
    }

    /** Everything of the host is lost but what durability called committed. */
    @Test
    void aBucketAloneBringsBackWhatWasCommitted() throws Exception {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        var server = S3Server.shared();
        var mountPoint = Files.createDirectory(directory.resolve("mnt"));
        var bucket = "s3://" + server.newBucket() + "/volumes";
        ok("store", "add", "lake", bucket, "--endpoint", server.endpoint());
        ok("volume", "create", "run", "--store", "lake");
        ok("mount", "run", mountPoint.toString(), "--writeback", "--upload-delay", "1h", "--wait-ready", "100s");
        try {
            var random = new Random(5);
            var written = new TreeMap<String, byte[]>();
            for (int i = 0; i < 12; i++) {
                byte[] bytes = new byte[1 << (2 * i)];
                random.nextBytes(bytes);
                Files.write(mountPoint.resolve("epoch-" + i), bytes);
                written.put("epoch-" + i, bytes);
            }
            var file = mountPoint.resolve("epoch-11").toString();
            assertThat(volsh("", "durability", file, "-o", "value:state").out().strip()).isEqualTo("staged");
            assertThat(volsh("", "durability", "wait", file, "--until", "stored", "--timeout", "0s").exit())
                    .isEqualTo(124);
            ok("durability", "wait", mountPoint.toString(), "--until", "committed", "--timeout", "5m");
            assertThat(volsh("", "durability", "run:/", "-o", "value:state").out().strip()).isEqualTo("committed");
            var pid = volsh("", "mounts", "list", "-o", "value:pid").out().strip();
            Image.run(Map.of("PATH", "/usr/bin:/bin"), directory, List.of("kill", "-KILL", pid));
            Image.run(Map.of("PATH", "/usr/bin:/bin"), directory, List.of("umount", "-l", mountPoint.toString()));
            Image.run(Map.of("PATH", "/usr/bin:/bin"), directory,
                    List.of("rm", "-rf", directory.resolve("home").toString()));

            ok("volume", "attach", bucket, "--endpoint", server.endpoint(), "--force");
            var back = directory.resolve("back");
            ok("get", "-r", "run:/", back.toString());
            for (var each : written.entrySet()) {
                assertThat(Files.readAllBytes(back.resolve(each.getKey()))).as(each.getKey())
                        .isEqualTo(each.getValue());
            }
        } finally {
            Image.run(Map.of("PATH", "/usr/bin:/bin"), directory, List.of("umount", "-l", mountPoint.toString()));
            HomeProcesses.awaitEnd(directory);
        }
    }
}
