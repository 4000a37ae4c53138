package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import volsh.block.StoreUrl;
import volsh.hang.Eventually;
import volsh.job.Jobs;
import volsh.meta.ChildJvm;
import volsh.secret.Secrets;

/**
 * Credentials that a process is given on its standard input: S3 finds them, and so does a job that the process starts;
 * no environment has them.
 */
@Tag("volume")
final class HandedSecretsTest {
    private static final String HANDED =
            "AWS_ACCESS_KEY_ID=id1\\000AWS_SECRET_ACCESS_KEY=open=sesame\\000AWS_SESSION_TOKEN=t1\\000PGPASSWORD=pg\\000OTHER=x\\000";

    @TempDir
    Path directory;

    /** Says what it has, and what a job of it has. */
    static final class Given {
        private Given() {}

        public static void main(String[] arguments) throws Exception {
            Secrets.accept(System.in);
            var found = (AwsSessionCredentials) Connection.credentials(StoreUrl.of("s3://bucket").s3Options())
                    .resolveCredentials();
            System.out.println(found.accessKeyId() + " " + found.secretAccessKey() + " " + found.sessionToken());
            System.out.println(Secrets.find("PGPASSWORD").orElse("none") + " " + Secrets.find("OTHER").orElse("none"));
            Path out = Path.of(arguments[0], "out");
            var script = ("tr '\\0' '\\n' <&0 >%1$s.new; echo environ: >>%1$s.new; tr '\\0' '\\n' </proc/self/environ "
                    + ">>%1$s.new; mv %1$s.new %1$s").formatted(out);
            try {
                var _ = new Jobs(Path.of(arguments[0], "jobs"), List.of("/bin/sh", "-c", script),
                        InstantSource.system()).launch(List.of("job"), "test");
            } catch (IOException over) {
                // a shell does not say that it has begun, and may have ended by now
            }
            Eventually.holds("the job has written", () -> Files.exists(out));
            System.out.print(Files.readString(out));
        }
    }

    @Test
    void fromProcessToProcess() throws IOException {
        try (var child = ChildJvm.start(List.of("/bin/sh", "-c", "printf '" + HANDED + "' | \"$@\"", "sh"), directory,
                Given.class, directory)) {
            var lines = child.lines();
            assertThat(lines).startsWith("id1 open=sesame t1", "pg none");
            var job = lines.subList(2, lines.indexOf("environ:"));
            assertThat(job).containsExactlyInAnyOrder("AWS_ACCESS_KEY_ID=id1", "AWS_SECRET_ACCESS_KEY=open=sesame",
                    "AWS_SESSION_TOKEN=t1", "PGPASSWORD=pg");
            assertThat(lines.subList(lines.indexOf("environ:"), lines.size()))
                    .anyMatch(line -> line.startsWith("VOLSH_JOB="))
                    .noneMatch(line -> line.contains("sesame") || line.contains("PGPASSWORD"));
        }
    }

    @Test
    void theyAreTakenOutOfTheEnvironment() {
        var environment = new HashMap<>(Map.of("AWS_SECRET_ACCESS_KEY", "sesame", "AWS_REGION", "eu-west-1", "PATH",
                "/bin"));
        assertThat(new String(Secrets.takeFrom(environment), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("AWS_SECRET_ACCESS_KEY=sesame\0");
        assertThat(environment).containsOnlyKeys("AWS_REGION", "PATH");
    }
}
