package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import volsh.catalog.VolumePath;
import volsh.fuse.MountFlag;

/** The choice of a transport, and its way to the mount's process and into the record others read. */
final class TransportTest {
    @Test
    void autoIsTheKernelsProtocolWhereFusermountIs() {
        boolean possible = Files.isExecutable(Path.of("/usr/bin/fusermount3"))
                || "root".equals(System.getProperty("user.name"));
        assertThat(Transport.AUTO.resolved()).isEqualTo(possible ? Transport.KERNEL : Transport.JNR);
        assertThat(Transport.JNR.resolved()).isEqualTo(Transport.JNR);
        assertThat(Transport.KERNEL.resolved()).isEqualTo(Transport.KERNEL);
    }

    @Test
    void attributesAreNotCachedThroughLibfuse() {
        var usual = MountSpec.of(VolumePath.of("data:/"), Path.of("/mnt"));
        assertThat(usual.with(Transport.JNR).attributesKept()).isZero();
        assertThat(usual.with(Transport.KERNEL).attributesKept()).isPositive();
    }

    @Test
    void travelsAsAWord() {
        var spec = MountSpec.of(VolumePath.of("data:/"), Path.of("/mnt"))
                .with(MountFlag.ALLOW_OTHER, false).with(Transport.JNR);
        assertThat(spec.words()).contains("--transport=jnr", "--no-allow-other");
    }

    @Test
    void isInTheRecordAndMissingInOldOnes() throws Exception {
        var record = new MountRecord(MountSource.of(VolumePath.of("data:/")), Path.of("/mnt"), 1, Instant.EPOCH,
                "rw", Transport.JNR);
        assertThat(MountRecord.parse(record.toText())).isEqualTo(record);
        var old = record.toText().replaceAll("transport=.*", "");
        assertThat(MountRecord.parse(old).transport()).isEqualTo(Transport.KERNEL);
    }
}
