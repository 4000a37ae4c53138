package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

/**
 * A mount that a volsh before this one has started: one socket, one record, and answers in the words of that version.
 */
@Timeout(60)
final class OlderMountTest {
    @TempDir
    private Path directory;

    @Test
    void itIsShownAsWhatItIsAndKeepsNoCommandFromOthers() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create a");
        var point = Files.createDirectory(directory.resolve("m"));
        var records = Files.createDirectories(scratch.home().resolve("run/mounts"));
        try (var socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(records.resolve(id(point) + ".sock")));
            Thread.ofPlatform().daemon().start(() -> serve(socket));
            Files.writeString(records.resolve(id(point) + ".mount"), """
                    source=a\\:/
                    mountPoint=%s
                    pid=%d
                    started=2026-01-01T00\\:00\\:00Z
                    options=rw
                    """.formatted(point, ProcessHandle.current().pid()));
            assertThat(scratch.ok("mounts list -o value:state").out()).isEqualTo("other version\n");
            assertThat(scratch.ok("mounts show %s -o value:socket".formatted(point)).out()).contains(id(point));
            assertThat(scratch.run("status").out()).contains(
                    "its process runs another version of volsh: restart the mount", "volsh umount " + point);
            assertThat(scratch.run("cache status").err()).doesNotContain("error");
            assertThat(scratch.run("mounts flush " + point).err()).contains(
                    "the mount runs an older volsh than this command (protocol 1, not 2): restart the mount",
                    "hint: volsh umount " + point, "exit 4");
        }
    }

    private static String id(Path point) {
        var sum = new CRC32C();
        sum.update(point.toString().getBytes(StandardCharsets.UTF_8));
        return "%08x".formatted(sum.getValue());
    }

    private static void serve(ServerSocketChannel socket) {
        while (true) {
            try (var peer = socket.accept();
                    var in = new BufferedReader(new InputStreamReader(Channels.newInputStream(peer),
                            StandardCharsets.UTF_8))) {
                var line = in.readLine();
                var answer = line.equals("troubles") || line.equals("ping") ? "ok\n"
                        : "error unknown request: " + line + "\n";
                Channels.newOutputStream(peer).write(answer.getBytes(StandardCharsets.UTF_8));
            } catch (IOException closed) {
                return;
            }
        }
    }
}
