package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
        new Random(1).nextBytes(bytes);
        var file = Files.write(directory.resolve("file"), bytes);
        ok("store", "add", "lake", "s3://" + server.newBucket() + "/volumes", "--endpoint", server.endpoint());
        ok("store", "probe", "lake", "--count", "1");
        ok("volume", "create", "imagenet", "--store", "lake");
        ok("put", file.toString(), "imagenet:/file");
        ok("get", "imagenet:/file", directory.resolve("back").toString());
        assertThat(directory.resolve("back")).hasSameBinaryContentAs(file);
    }
}
