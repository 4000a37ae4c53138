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
        return new Unit(new MountWork(spec), List.of("/opt/volsh/bin/volsh"),
                Optional.of(Path.of("/srv/volsh home")));
    }

    @Test
    void aUnitSaysHowItIsMountedAndUnmounted() {
        assertThat(unit("/mnt/data", "ro,uid=1000").text()).isEqualTo("""
                # Written by: volsh service. Removed by: volsh service remove /mnt/data
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
        var unit = new Unit(unit(mountPoint, "").work(), List.of("/bin/true"), Optional.empty());
        var units = new SystemdUnits(temporary);
        assertThat(units.install(unit)).isEqualTo(SystemdUnits.Change.CREATED);
        assertThat(units.list())
                .containsExactly(new SystemdUnits.Installed(unit.name(), "data:/train",
                        Optional.of(Path.of(mountPoint)), Optional.empty(), true));
        assertThat(units.find(unit.name()).mountPoint()).contains(Path.of(mountPoint));
        assumeTrue(Programs.isThere("systemd-analyze"), "the rest is for systemd");
        var escaped = Programs.run(temporary, "systemd-escape", "--path", mountPoint).strip();
        assertThat(unit.name()).isEqualTo("volsh-" + escaped + ".service");
        var complaints = Programs.run(temporary, "systemd-analyze", "verify", "--man=no",
                units.path(unit.name()).toString());
        assertThat(complaints.lines().filter(line -> line.contains(unit.name()))).isEmpty();
    }

    /** A gateway is ended by a signal, and listens on a port that is known: its unit is named after that. */
    @Test
    void aGatewayIsAService() throws Exception {
        var work = new GatewayWork(List.of("data", "ckpts"), "127.0.0.1:9000", 9000,
                List.of("--read-only", "--domain=s3.example.org"));
        var unit = new Unit(work, List.of("/bin/true"), Optional.empty());
        assertThat(unit.name()).isEqualTo("volsh-gateway@9000.service")
                .isNotIn(Unit.name(Path.of("/gateway@9000")), Unit.name(Path.of("/gateway/9000")));
        assertThat(unit.text()).contains(
                "ExecStart=/bin/true gateway s3 data,ckpts --listen=127.0.0.1:9000 --read-only"
                        + " --domain=s3.example.org\nSuccessExitStatus=130 143\n",
                "Description=volsh: data,ckpts on S3 at 127.0.0.1:9000\n", "Documentation=man:volsh-gateway-s3(1)\n",
                "[X-Volsh]\nSource=data,ckpts\nListen=127.0.0.1:9000\n")
                .doesNotContain("ExecStop", "RequiresMountsFor");
        var units = new SystemdUnits(temporary);
        units.install(unit);
        units.install(unit("/mnt/data", ""));
        assertThat(units.list()).extracting(SystemdUnits.Installed::name).containsExactly(
                "volsh-gateway@9000.service", "volsh-mnt-data.service");
        assertThat(units.find(unit.name())).isEqualTo(new SystemdUnits.Installed(unit.name(), "data,ckpts",
                Optional.empty(), Optional.of("127.0.0.1:9000"), true));
        assertThatThrownBy(() -> new GatewayWork(List.of("data"), "127.0.0.1:0", 0, List.of()))
                .isInstanceOf(IllegalArgumentException.class);
        if (Programs.isThere("systemd-analyze")) {
            var complaints = Programs.run(temporary, "systemd-analyze", "verify", "--man=no",
                    units.path(unit.name()).toString());
            assertThat(complaints.lines().filter(line -> line.contains(unit.name()))).isEmpty();
        }
        units.remove(unit.name());
        assertThat(units.list()).hasSize(1);
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
        units.remove("volsh-mnt-data.service");
        assertThat(units.list()).isEmpty();
        assertThat(units.directory().resolve("multi-user.target.wants")).isEmptyDirectory();
        assertThatThrownBy(() -> units.remove("volsh-mnt-data.service")).isInstanceOf(Refusal.class)
                .hasMessageContaining("no service");
    }

    @Test
    void whatWeDidNotWriteIsLeftAlone() throws Exception {
        var units = new SystemdUnits(temporary);
        Files.writeString(units.path("volsh-mnt-data.service"), "[Service]\nExecStart=/bin/true\n");
        assertThatThrownBy(() -> units.install(unit("/mnt/data", ""))).isInstanceOf(Refusal.class)
                .hasMessageContaining("not written by volsh");
        assertThatThrownBy(() -> units.remove("volsh-mnt-data.service")).isInstanceOf(Refusal.class);
        assertThat(units.list()).isEmpty();
        assertThat(units.path("volsh-mnt-data.service")).isRegularFile();
    }

    @Test
    void whatNoUnitCanSayIsRefused() {
        assertThatThrownBy(() -> unit("/mnt/a\nExecStart=evil", "").text())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Unit(unit("/mnt", "").work(), List.of("volsh"), Optional.empty()))
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
