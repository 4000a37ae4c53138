package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.RetryPolicy;
import volsh.block.StoreUrl;
import volsh.bucket.OpenBuckets;
import volsh.cache.disk.DiskTier;
import volsh.s3test.Fault;
import volsh.s3test.FaultProxy;
import volsh.s3test.Faults;
import volsh.s3test.S3Gate;
import volsh.s3test.S3Server;

/** A bucket that cannot be reached for a while. */
@Tag("mount")
final class BucketAwayTest {
    private static final RetryPolicy SHORT = new RetryPolicy(1000, Duration.ofMillis(5), Duration.ofMillis(20),
            Duration.ofMillis(150));

    private static final Set<Fault> BAD = Set.of(Fault.INTERNAL_ERROR, Fault.RESET_IN_REPLY, Fault.TRUNCATED_REPLY,
            Fault.LOST_REPLY, Fault.WRONG_LENGTH);

    @TempDir
    Path directory;

    @Test
    void requestsFailInTimeAndGoOnWhenItIsBack() throws IOException {
        var server = S3Server.shared();
        try (var proxy = new FaultProxy(server.port(), Faults.none())) {
            String name = server.newBucket();
            var url = StoreUrl.of("s3://%s?endpoint=%s&anonymous=true".formatted(name, proxy.endpoint()));
            var direct = OpenBuckets.open(StoreUrl.of("s3://%s?endpoint=%s&anonymous=true".formatted(name,
                    server.endpoint())));
            try (var bucket = MountedBucket.of(directory, MountedBucket.asking(), OpenBuckets.open(url, SHORT),
                    direct, DiskTier.NONE)) {
                var root = bucket.directory();
                bucket.put("x", "there");
                assertThat(Files.readString(root.resolve("x"))).isEqualTo("there");
                var open = Files.newOutputStream(root.resolve("y"));
                open.write('y');
                proxy.setDown(true);
                assertThatThrownBy(() -> Files.readString(root.resolve("x")))
                        .isInstanceOf(IOException.class).hasMessageContaining("Input/output error");
                assertThatThrownBy(() -> BucketReadsTest.names(root)).isInstanceOf(Exception.class);
                assertThatThrownBy(open::close).isInstanceOf(IOException.class);
                assertThat(bucket.files().writes().unstored()).singleElement()
                        .satisfies(file -> assertThat(file.trouble()).isNotNull());
                proxy.setDown(false);
                assertThat(Files.readString(root.resolve("x"))).isEqualTo("there");
                bucket.files().writes().storeAll();
                assertThat(bucket.get("y")).asString().isEqualTo("y");
                assertThat(bucket.files().writes().unstored()).isEmpty();
            }
        }
    }

    /** EACCES at once, and all goes on with new ones. */
    @Test
    void refusedCredentialsAreNotRetried() throws IOException {
        var server = S3Server.shared();
        var never = new RetryPolicy(Integer.MAX_VALUE, Duration.ofMillis(5), Duration.ofMillis(20),
                Duration.ofHours(1));
        try (var gate = new S3Gate(server)) {
            String name = server.newBucket();
            var url = StoreUrl.of("s3://%s?endpoint=%s&anonymous=true".formatted(name, gate.endpoint()));
            var direct = OpenBuckets.open(StoreUrl.of("s3://%s?endpoint=%s&anonymous=true".formatted(name,
                    server.endpoint())));
            try (var bucket = MountedBucket.of(directory, MountedBucket.asking(),
                    new MountedObjects(OpenBuckets.open(url, never), ""), direct, DiskTier.NONE)) {
                var root = bucket.directory();
                bucket.put("x", "there");
                assertThat(Files.readString(root.resolve("x"))).isEqualTo("there");
                var open = Files.newOutputStream(root.resolve("y"));
                open.write('y');
                gate.expire(true);
                assertThatThrownBy(() -> Files.readString(root.resolve("x"))).isInstanceOf(AccessDeniedException.class);
                assertThatThrownBy(open::close).isInstanceOf(IOException.class)
                        .hasMessageContaining("Permission denied");
                assertThat(bucket.files().writes().unstored()).singleElement()
                        .satisfies(file -> assertThat(file.trouble()).hasMessageContaining("expired"));
                gate.expire(false);
                assertThat(Files.readString(root.resolve("x"))).isEqualTo("there");
                bucket.files().writes().storeAll();
                assertThat(bucket.get("y")).asString().isEqualTo("y");
            }
        }
    }

    /** Cut answers, wrong lengths, errors: what is read is right all the same. */
    @Test
    void faultsOfTheServerDoNotReachPrograms() throws IOException {
        var server = S3Server.shared();
        try (var proxy = new FaultProxy(server.port(), new Faults(0, BAD, 7))) {
            String name = server.newBucket();
            var url = StoreUrl.of("s3://%s?endpoint=%s&anonymous=true".formatted(name, proxy.endpoint()));
            var direct = OpenBuckets.open(StoreUrl.of("s3://%s?endpoint=%s&anonymous=true".formatted(name,
                    server.endpoint())));
            var patient = new RetryPolicy(1000, Duration.ofMillis(5), Duration.ofMillis(20), Duration.ofSeconds(30));
            try (var bucket = MountedBucket.of(directory, MountedBucket.asking(), OpenBuckets.open(url, patient),
                    direct, DiskTier.NONE)) {
                for (int i = 0; i < 30; i++) {
                    proxy.faults().spoilNext();
                    var file = bucket.directory().resolve("f" + i);
                    Files.writeString(file, "text " + i);
                    proxy.faults().spoilNext();
                    assertThat(Files.readString(file)).isEqualTo("text " + i);
                    assertThat(bucket.get("f" + i)).asString().isEqualTo("text " + i);
                }
            }
        }
    }
}
