package volsh.command.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;

/** Services in a directory of their own; the machine's systemd hears nothing. */
final class ServiceCommandsTest {
    @TempDir
    private Path directory;

    private Scratch scratch;
    private Path units;

    @BeforeEach
    void home() {
        scratch = new Scratch(directory.resolve("home"));
        units = directory.resolve("units");
        ok("volume create data");
    }

    private Ended ok(String line) {
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    @Test
    void aServiceIsInstalledShownAndRemoved() {
        Ended shown = ok("service install data /mnt/data -r --unit-dir " + units + " -n");
        assertThat(shown.out()).contains("write", units + "/volsh-mnt-data.service");
        assertThat(shown.err()).contains("[Service]\nType=notify\n",
                "ExecStart=/opt/volsh/bin/volsh mount --foreground data:/ /mnt/data --read-only\n");
        assertThat(units).doesNotExist();
        assertThat(ok("service install data /mnt/data -r --unit-dir " + units).err()).startsWith("created ");
        assertThat(ok("service install data /mnt/data -r --unit-dir " + units).err()).startsWith("unchanged ");
        assertThat(ok("service install data /mnt/data -r --unit-dir " + units + " -n").out()).doesNotContain("write");
        assertThat(ok("service install data /mnt/data -O uid=7 --unit-dir " + units).err()).startsWith("updated ");
        assertThat(ok("service status --unit-dir " + units + " -o json").out())
                .contains("\"unit\": \"volsh-mnt-data.service\"", "\"source\": \"data:/\"", "\"enabled\": true",
                        "\"state\": \"not mounted\"");
        assertThat(ok("service status /mnt/data --unit-dir " + units + " -o name").out())
                .isEqualTo("volsh-mnt-data.service\n");
        assertThat(ok("service remove /mnt/data --unit-dir " + units + " -n").out()).contains("remove");
        ok("service remove /mnt/data --unit-dir " + units);
        assertThat(ok("service status --unit-dir " + units + " -o json").out().strip()).isEqualTo("[]");
    }

    @Test
    void aGatewayIsAServiceToo() {
        Ended shown = ok("service gateway data --listen 9000 --read-only --unit-dir " + units + " -n");
        assertThat(shown.out()).contains("write", units + "/volsh-gateway@9000.service");
        assertThat(shown.err()).contains("ExecStart=/opt/volsh/bin/volsh gateway s3 data --listen=127.0.0.1:9000"
                + " --read-only --cache-size=64MiB --expire-uploads=7d\n");
        assertThat(ok("service gateway data --listen 9000 --unit-dir " + units).err()).startsWith("created ");
        assertThat(ok("service install data /mnt/data --unit-dir " + units).err()).startsWith("created ");
        assertThat(ok("service status --unit-dir " + units + " -o csv --no-headers").out()).contains(
                "volsh-gateway@9000.service,data,,127.0.0.1:9000,true,not running",
                "volsh-mnt-data.service,data:/,/mnt/data,,true,not mounted");
        assertThat(ok("service status volsh-gateway@9000.service --unit-dir " + units + " -o name").out())
                .isEqualTo("volsh-gateway@9000.service\n");
        ok("service remove volsh-gateway@9000.service --unit-dir " + units);
        assertThat(ok("service status --unit-dir " + units + " -o name").out()).isEqualTo("volsh-mnt-data.service\n");
    }

    @Test
    void aGatewayThatCannotBeAServiceIsRefused() {
        assertThat(scratch.run("service gateway data --unit-dir " + units).err()).contains("--listen 9000");
        assertThat(scratch.run("service gateway data --listen 0.0.0.0:9000 --unit-dir " + units).err())
                .contains("--tls-cert");
        assertThat(scratch.run("service gateway nothing --listen 9000 -n").status()).isEqualTo(3);
        assertThat(scratch.run("service gateway data --listen 9000 --now --unit-dir " + units).status()).isEqualTo(2);
        assertThat(scratch.run("service remove volsh-/../x.service --unit-dir " + units).status()).isEqualTo(3);
        assertThat(units).doesNotExist();
    }

    @Test
    void aSystemToBeIsWrittenBelowItsRoot() {
        ok("service install data /mnt/data --root " + directory.resolve("root"));
        assertThat(directory.resolve("root/etc/systemd/system/volsh-mnt-data.service")).isRegularFile();
        assertThat(directory.resolve("root/etc/systemd/system/multi-user.target.wants/volsh-mnt-data.service"))
                .isSymbolicLink();
    }

    @Test
    void withoutSystemdItSaysSo() {
        assumeFalse(Files.isDirectory(Path.of("/run/systemd/system")), "there is a systemd here");
        Ended refused = scratch.run("service install data /mnt/data");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("systemd does not run", "SVC-0001", "hint: ");
        assertThat(scratch.run("service install data /mnt/data -o json").err()).contains("\"code\":\"SVC-0001\"");
    }

    @Test
    void wrongRequestsSayWhatIsWrong() throws Exception {
        assertThat(scratch.run("service remove /mnt/data --unit-dir " + units).status()).isEqualTo(3);
        assertThat(scratch.run("service status /mnt/data --unit-dir " + units).status()).isEqualTo(3);
        assertThat(scratch.run("service install data /mnt/data --now --unit-dir " + units).status()).isEqualTo(2);
        assertThat(scratch.run("service install data /mnt/data --root " + directory + " --unit-dir " + units).status())
                .isEqualTo(2);
        assertThat(scratch.run("service install data /mnt/data -O nonsense --unit-dir " + units).status()).isEqualTo(2);
        assertThat(scratch.run("service install nothing /mnt/data -n").status()).isEqualTo(3);
        Files.createDirectories(units);
        Files.writeString(units.resolve("volsh-mnt-data.service"), "[Service]\n");
        assertThat(scratch.run("service install data /mnt/data --unit-dir " + units).status()).isEqualTo(4);
        assertThat(scratch.run("service helper --root " + directory).status()).as("no image").isEqualTo(3);
    }

    @Test
    void mountRefusesOptionsThatMeanNothing() {
        assertThat(ok("mount data /mnt/data -n -O ro,noatime,_netdev,x-systemd.automount,uid=5").out())
                .contains("mount");
        for (var wrong : new String[] {"-O relatime", "-O nonsense", "--umask 8", "--umask 1777", "-r --sole-writer",
                "-r --writeback-cache", "--uid joe"}) {
            Ended refused = scratch.run("mount data /mnt/data -n " + wrong);
            assertThat(refused.status()).as(wrong + refused.err()).isEqualTo(2);
        }
    }
}
