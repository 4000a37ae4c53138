package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.catalog.VolumePath;
import volsh.fuse.MountFlag;

/** Options of fstab: each has its effect, is none of our business, or is refused. */
final class OptionListTest {
    private static final MountSpec USUAL = MountSpec.of(new VolumePath("data", "/"), Path.of("/mnt/data"));

    private static String options(String list) {
        return OptionList.apply(list, USUAL).options();
    }

    @Test
    void theUsualMountSaysWhatHolds() {
        assertThat(USUAL.options()).isEqualTo("rw,nosuid,nodev,noatime,allow_other,attr_timeout=1s,entry_timeout=1s");
        assertThat(USUAL.words()).containsExactly("data:/", "/mnt/data");
    }

    @Test
    void eachHasItsEffect() {
        assertThat(options("ro")).startsWith("ro,");
        assertThat(options("ro,rw")).as("the last one counts").startsWith("rw,");
        assertThat(options("suid,dev,noexec,noallow_other,direct_io"))
                .startsWith("rw,suid,dev,noatime,noexec,direct_io,attr");
        assertThat(options("uid=1000,gid=100,umask=027")).contains("uid=1000,gid=100,umask=027");
        assertThat(options("attr_timeout=0,entry_timeout=2.5")).endsWith("attr_timeout=0s,entry_timeout=2s500ms");
        assertThat(options("attr_timeout=5m")).contains("attr_timeout=5m,");
    }

    @Test
    void aSoleWriterMayRememberForLong() {
        assertThat(options("sole_writer")).contains("sole_writer").endsWith("attr_timeout=1h,entry_timeout=1h");
        assertThat(options("writeback_cache,attr_timeout=2")).contains("attr_timeout=2s,entry_timeout=1h");
        assertThat(OptionList.apply("writeback_cache", USUAL).alone()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "defaults", "noauto,_netdev,nofail", "user", "users", "user=joe", "x-systemd.automount,"
            + "x-systemd.requires=a.service", "x-mount.mkdir=0755", "comment=hello", "noatime,nodiratime", "async"})
    void whatConcernsOthersIsPassedOver(String list) {
        assertThat(OptionList.apply(list, USUAL)).isEqualTo(USUAL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "rro", "uid", "uid=joe", "umask=9", "umask=1777", "atime", "relatime",
            "strictatime", "remount", "sync", "posixacl", "attr_timeout=soon", "ro=1", "sole_writer,ro",
            "writeback_cache,ro", "size=3"})
    void whatWouldHaveNoEffectIsRefused(String list) {
        assertThatThrownBy(() -> OptionList.apply(list, USUAL)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theWordsAskForTheSame() {
        var spec = OptionList.apply("ro,suid,dev,noexec,noallow_other,direct_io,uid=1,gid=2,umask=077,attr_timeout=3,"
                + "entry_timeout=4", USUAL);
        assertThat(spec.words()).containsExactly(
                "data:/", "/mnt/data", "--read-only", "--no-allow-other", "--direct-io", "--suid", "--dev", "--no-exec",
                "--uid=1", "--gid=2", "--umask=077", "--attribute-timeout=3s", "--entry-timeout=4s");
        assertThat(spec.attributesKept()).isEqualTo(Duration.ofSeconds(3));
        assertThat(USUAL.with(MountFlag.WRITEBACK_CACHE, true).with(MountFlag.SOLE_WRITER, true).words())
                .contains("--writeback-cache", "--sole-writer");
    }
}
