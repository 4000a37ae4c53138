package volsh.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.catalog.Refusal;
import volsh.catalog.VolumePath;
import volsh.fuse.Programs;
import volsh.mount.MountSpec;
import volsh.mount.OptionList;

/** Units as systemd wants them, and as we find them again. */
final class UnitTest {
    @TempDir
    private Path temporary;

    private static Unit unit(String mountPoint, String options) {
        var spec = OptionList.apply(options, MountSpec.of(new VolumePath("data", "/train"), Path.of(mountPoint)));
        return new Unit(spec, List.of("/opt/volsh/bin/volsh"), Optional.of(Path.of("/srv/volsh home")));
    }

    @Test
    void aUnitSaysHowItIsMountedAndUnmounted() {
        assertThat(unit("/mnt/data", "ro,uid=1000").text()).isEqualTo("""
                # Written by: volsh service install. Removed by: volsh service remove /mnt/data
                [Unit]
                Description=volsh: data:/train on /mnt/data
                Documentation=man:volsh-mount(1)
                Wants=network-online.target
                After=network-online.target local-fs.target
                RequiresMountsFor=/mnt

                [Service]
                Type=notify
                Environment="VOLSH_HOME=/srv/volsh home"
                ExecStart=/opt/volsh/bin/volsh mount --foreground data:/train /mnt/data --read-only --uid=1000
                ExecStop=-/opt/volsh/bin/volsh umount /mnt/data
                TimeoutStartSec=60s
                TimeoutStopSec=150s
                Restart=on-failure
                RestartSec=2s
                KillMode=mixed

                [Install]
                WantedBy=multi-user.target

                [X-Volsh]
                Source=data:/train
                Directory=/mnt/data
                """);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/mnt/data", "/mnt/my data", "/mnt/50%", "/mnt/a\"b\\c", "/mnt/$HOME", "/mnt/-dash",
            "/mnt/.hidden", "/.top", "/mnt/ünïcode", "/"})
    void systemdTakesItAndWeFindItAgain(String mountPoint) throws Exception {
        var unit = new Unit(unit(mountPoint, "").spec(), List.of("/bin/true"), Optional.empty());
        var units = new SystemdUnits(temporary);
        assertThat(units.install(unit)).isEqualTo(SystemdUnits.Change.CREATED);
        assertThat(units.list())
                .containsExactly(new SystemdUnits.Installed(unit.name(), "data:/train", Path.of(mountPoint), true));
        assertThat(units.find(Path.of(mountPoint)).mountPoint()).isEqualTo(Path.of(mountPoint));
        assumeTrue(Programs.isThere("systemd-analyze"), "the rest is for systemd");
        var escaped = Programs.run(temporary, "systemd-escape", "--path", mountPoint).strip();
        assertThat(unit.name()).isEqualTo("volsh-" + escaped + ".service");
        var complaints = Programs.run(temporary, "systemd-analyze", "verify", "--man=no",
                units.path(unit.name()).toString());
        assertThat(complaints.lines().filter(line -> line.contains(unit.name()))).isEmpty();
    }

    @Test
    void systemdIsAskedInEarnest() throws Exception {
        assumeTrue(Programs.isThere("systemd-analyze"), "needs systemd's own check");
        var wrong = Files.writeString(temporary.resolve("volsh-wrong.service"),
                unit("/mnt", "").text().replace("ExecStart=/opt", "ExecStart=opt"));
        assertThatThrownBy(() -> Programs.run(temporary, "systemd-analyze", "verify", "--man=no", wrong.toString()))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void installingAgainChangesNothingOrWhatDiffers() throws Exception {
        var units = new SystemdUnits(temporary.resolve("etc/systemd/system"));
        assertThat(units.list()).isEmpty();
        assertThat(units.install(unit("/mnt/data", ""))).isEqualTo(SystemdUnits.Change.CREATED);
        assertThat(units.check(unit("/mnt/data", ""))).isEqualTo(SystemdUnits.Change.UNCHANGED);
        assertThat(units.install(unit("/mnt/data", ""))).isEqualTo(SystemdUnits.Change.UNCHANGED);
        assertThat(units.install(unit("/mnt/data", "ro"))).isEqualTo(SystemdUnits.Change.UPDATED);
        assertThat(Files.readString(units.path("volsh-mnt-data.service"))).contains("--read-only");
        assertThat(units.directory().resolve("multi-user.target.wants/volsh-mnt-data.service")).isSymbolicLink()
                .isRegularFile();
        units.remove(Path.of("/mnt/data"));
        assertThat(units.list()).isEmpty();
        assertThat(units.directory().resolve("multi-user.target.wants")).isEmptyDirectory();
        assertThatThrownBy(() -> units.remove(Path.of("/mnt/data"))).isInstanceOf(Refusal.class)
                .hasMessageContaining("no service");
    }

    @Test
    void whatWeDidNotWriteIsLeftAlone() throws Exception {
        var units = new SystemdUnits(temporary);
        Files.writeString(units.path("volsh-mnt-data.service"), "[Service]\nExecStart=/bin/true\n");
        assertThatThrownBy(() -> units.install(unit("/mnt/data", ""))).isInstanceOf(Refusal.class)
                .hasMessageContaining("not written by volsh");
        assertThatThrownBy(() -> units.remove(Path.of("/mnt/data"))).isInstanceOf(Refusal.class);
        assertThat(units.list()).isEmpty();
        assertThat(units.path("volsh-mnt-data.service")).isRegularFile();
    }

    @Test
    void whatNoUnitCanSayIsRefused() {
        assertThatThrownBy(() -> unit("/mnt/a\nExecStart=evil", "").text())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Unit(unit("/mnt", "").spec(), List.of("volsh"), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theHelperIsALinkToOurs() throws Exception {
        var bin = Files.createDirectories(temporary.resolve("image/bin"));
        assertThatThrownBy(() -> MountProgram.of(temporary, bin.resolve("volsh"))).isInstanceOf(Refusal.class);
        Files.writeString(bin.resolve("mount.volsh"), "#!/bin/sh\n").toFile().setExecutable(true);
        var helper = MountProgram.of(temporary.resolve("root"), bin.resolve("volsh"));
        assertThat(helper.install()).isTrue();
        assertThat(helper.install()).isFalse();
        assertThat(Files.readSymbolicLink(temporary.resolve("root/sbin/mount.volsh")))
                .isEqualTo(bin.resolve("mount.volsh"));
        Files.delete(helper.link());
        Files.writeString(helper.link(), "somebody else's");
        assertThatThrownBy(helper::install).isInstanceOf(Refusal.class);
    }
}
