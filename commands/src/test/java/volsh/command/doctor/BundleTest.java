package volsh.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.command.tree.Scratch;

/** Secrets of every kind, planted where a bundle looks: none of them may be in it, and what is no secret has to be. */
final class BundleTest {
    private static final String S = "S3cr3tValue";

    @TempDir
    Path directory;

    /** Each holds {@link #S} where a secret stands. */
    @ParameterizedTest
    @ValueSource(strings = {
            "aws_secret_access_key = S3cr3tValue", "AWS_SESSION_TOKEN=S3cr3tValue", "\"secretKey\": \"S3cr3tValue\"",
            "password:" + " S3cr3tValue", "PGPASSWORD='S3cr3tValue'", "postgres://volsh:S3cr3tValue@db.local:5432/meta",
            "https://user:S3cr3tValue@proxy:3128/", "Authorization: Bearer" + " S3cr3tValue",
            "authorization: Basic S3cr3tValue==", "GET /b/k?X-Amz-Signature=S3cr3tValue&x=1",
            "s3://b/p?accessKey=S3cr3tValue&region=x", "--password" + " S3cr3tValue", "--api-key=S3cr3tValue",
            "{\"token\":\"S3cr3tValue\"}", "Cookie: S3cr3tValue", "client_secret=S3cr3tValue;x",
            "encryption-key: S3cr3tValue", "X-Amz-Security-Token:" + " S3cr3tValue", "passphrase=S3cr3tValue",
            "-----BEGIN RSA PRIVATE KEY-----\nS3cr3tValue\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN PRIVATE" + " KEY-----\nMIIE\nS3cr3tValue",
            "postgres://volsh:a/b@S3cr3tValue@db.local/meta", "password: horse S3cr3tValue", "password=a,S3cr3tValue",
            "passphrase = a;S3cr3tValue", "secret=a,S3cr3tValue",
            "token=a&S3cr3tValue", "token=\"S3cr3tValue", "Cookie: a=1; b=S3cr3tValue", "Authorization: Digest a=1, "
                    + "response=S3cr3tValue", "MIIE\nS3cr3tValue\n-----END RSA PRIVATE KEY-----\nnext"})
    void eachKindIsTakenOut(String text) {
        assertThat(text).contains(S);
        assertThat(new Redaction(Map.of()).of(text)).doesNotContain(S).contains(Redaction.GONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"AKIAIOSFODNN7EXAMPLE", "ghp_0123456789abcdefghijABCDEFGHIJ",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
            "hf_abcdefghijklmnopqrstuvwxyz0123"})
    void whatLooksLikeAKeyIsTakenOutWhereverItStands(String key) {
        assertThat(new Redaction(Map.of()).of("tried with %s, which failed".formatted(key)))
                .isEqualTo("tried with ****, which failed");
    }

    /** However it was written into a URL or a line of JSON, and also if it begins like a path. */
    @Test
    void secretsOfTheEnvironmentAreKnownInEverySpelling() {
        var redaction = new Redaction(Map.of("AWS_SECRET_ACCESS_KEY", "/a+b/ c", "MY_TOKEN", "x\"y\\z", "OLDPWD", "/"));
        assertThat(redaction.of(
                "one /a+b/ c two %2Fa%2Bb%2F+c three %2Fa%2Bb%2F%20c four x\"y\\z five x\\\"y\\\\z six /tmp"))
                .isEqualTo("one **** two **** three **** four **** five **** six /tmp");
    }

    /** Neither the stack nor hours are needed for lines of a quarter of a megabyte. */
    @ParameterizedTest
    @ValueSource(strings = {"a", "-", "a.", "\\\"", "&", "token=\"a", "=", "a://b:c"})
    void longLinesAreNoTrouble(String piece) {
        var line = piece.repeat((256 << 10) / piece.length());
        assertThat(new Redaction(Map.of()).of("%s token=\"%s\" password=S3cr3tValue\n--token=\"S3cr3tValue\"\n"
                .formatted(line, line))).doesNotContain(S);
    }

    /** What is needed to help stays. */
    @ParameterizedTest
    @ValueSource(strings = {"volsh_read_bytes_total{mount=\"/mnt/a\"} 100000",
            "s3://bucket/prefix?endpoint=http%3A%2F%2F127.0.0.1%3A9000&region=us-east-1",
            "block 3f9a1c2b4d5e6f70 cannot be stored now; it is tried"
                    + " again", "/var/lib/volsh/volumes/f367b1b0-e5a9-4009-9498-91aefc3128ef/meta.db",
            "{\"name\": \"training-data\", \"blockSize\": 4194304}", "http://10.0.0.1:9000/b and me@host", "SHA-256"
                    + " 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"})
    void whatIsNoSecretStays(String text) {
        assertThat(new Redaction(Map.of("AWS_REGION", "us-east-1")).of(text)).isEqualTo(text);
    }

    private void plant(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void noneIsInABundle() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        var home = scratch.homes();
        assertThat(scratch.run("volume create training-data").status()).isZero();
        assertThat(scratch.run("store add lake 's3://bucket/prefix' --endpoint http://127.0.0.1:1").status())
                .isIn(0, 6);
        plant(home.config().resolve("rc.volsh"), "set output json\nalias up 'put x --token tok-PLANTED-01'\n");
        plant(home.config().resolve("history"), "everything-PLANTED-02 that was typed\n");
        plant(home.state().resolve("logs/m.log"),
                "WARNING: PUT https://u:PLANTED-03@b.example/x?X-Amz-Credential=PLANTED-04%2F1 failed\nAuthorization: "
                        + "AWS4-HMAC-SHA256 Credential=PLANTED-05\n" + "got env-PLANTED-06 back, and plain words\n"
                        + "filler\n".repeat(60_000) + "password=PLANTED-07\n");
        plant(home.state().resolve("jobs/j1/job.json"),
                "{\"words\": [\"x\", \"--secret-key\", \"PLANTED-16\"], \"password\": \"PLANTED-08\"}");
        plant(home.state().resolve("events/events.jsonl"),
                "{\"text\":\"login postgres://volsh:PLANTED-09@db/meta\"}\n");
        plant(home.state().resolve("catalog/stores/odd.json"), "{\"url\": \"s3://b/p?secretAccessKey=PLANTED-10\"}");
        plant(home.state().resolve("volumes/x/meta.url"), "postgres://a:PLANTED-11@db/x");
        var bundle = directory.resolve("b.tar.gz");
        var environment = Map.of("AWS_SECRET_ACCESS_KEY", "env-PLANTED-06", "AWS_SESSION_TOKEN", "PLANTED-12-token",
                "PGPASSWORD", "PLANTED-13", "HTTPS_PROXY", "http://u:PLANTED-14@proxy:1",
                "OTHER", "PLANTED-15-not-ours", "AWS_REGION", "us-east-1");
        var ended = scratch.run("doctor --bundle " + bundle, environment);
        assertThat(ended.status()).as(ended.err()).isZero();

        var out = Files.createDirectories(directory.resolve("out"));
        assertThat(new ProcessBuilder("tar", "xzf", bundle.toString(), "-C", out.toString()).inheritIO().start()
                .waitFor()).isZero();
        var all = new StringBuilder();
        try (var files = Files.walk(out)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                all.append(out.relativize(file)).append('\n').append(Files.readString(file, StandardCharsets.UTF_8))
                        .append('\n');
            }
        }
        assertThat(all.toString()).doesNotContain("PLANTED");
        assertThat(all.toString()).contains(List.of("volsh-bundle/versions.txt", "training-data",
                "AWS_REGION=us-east-1", "AWS_SECRET_ACCESS_KEY=****", "filler", "set output json",
                "MemTotal", "volsh_mounts 0", "volsh-bundle/checkup.txt"));
        assertThat(Files.getPosixFilePermissions(bundle)).hasSize(2);
        assertThat(scratch.run("doctor --bundle " + bundle).status()).isEqualTo(4);
        assertThat(scratch.run("doctor /mnt --bundle " + bundle).status()).isEqualTo(2);
    }
}
