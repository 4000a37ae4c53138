package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.catalog.Refusal;
import volsh.mount.MountRequest.*;
import volsh.warm.Wish;

/**
 * A mount outlives an upgrade of volsh: commands and mounts of different versions say so, and a mount can always be
 * ended.
 */
@Timeout(60)
final class ControlVersionTest {
    /** The lines of this version. Whoever has to change one of them changes {@link RequestLine#VERSION}. */
    private static final List<String> VERSIONED = List.of(
            "volsh/2 version", "volsh/2 stats", "volsh/2 flush", "volsh/2 recount", "volsh/2 release",
            "volsh/2 dirty 7", "volsh/2 open 8", "volsh/2 job evict %2Fa+b %2Fc", "volsh/2 job-status 3",
            "volsh/2 jobs", "volsh/2 cancel 3", "volsh/2 prefetch 9", "volsh/2 names 3 a b", "volsh/2 complete 3",
            "volsh/2 epochs", "volsh/2 unpin %2Fa", "volsh/2 resize %2Fcache 4096", "volsh/2 trace-start 100",
            "volsh/2 trace-take 1", "volsh/2 trace-stop 1", "volsh/2 gather 20000");
    /** These never change. */
    private static final List<String> LASTING = List.of(
            "ping", "troubles", "unwritten", "store 20000", "unmount", "unmount lazy", "unmount discard",
            "unmount lazy discard", "checkpoint-save r1 5 %2Fm%2Fmodel.pt keep%3Dlast%3D3 metric%3Aloss%3D0.5",
            "checkpoint-save r1 5 %2Fm%2Fmodel.pt", "checkpoint-status", "checkpoint-wait 1000",
            "checkpoint-wait 1000 r1");

    @TempDir
    private Path directory;

    private final List<MountRequest<?>> heard = new ArrayList<>();
    private Path socket;
    private Control mount;

    @BeforeEach
    void listen() throws IOException {
        socket = directory.resolve("socket");
        mount = Control.listen(socket, request -> {
            heard.add(request);
            return List.of("5");
        });
    }

    @AfterEach
    void close() throws IOException {
        mount.close();
    }

    @Test
    void everyRequestHasItsLine() throws IOException {
        var parsed = new ArrayList<MountRequest<?>>();
        for (var line : Stream.concat(VERSIONED.stream(), LASTING.stream()).toList()) {
            var request = RequestLine.parse(line);
            assertThat(RequestLine.of(request)).isEqualTo(line);
            assertThat(RequestLine.parse(RequestLine.of(request))).isEqualTo(request);
            parsed.add(request);
        }
        assertThat(parsed).contains(
                new JobRequest(new Wish.Evict(List.of("/a b", "/c"))), new ResizeRequest(Path.of("/cache"), 4096),
                new StoreRequest(Duration.ofSeconds(20)), new UnmountRequest(List.of("lazy", "discard")),
                new CheckpointSaveRequest("r1", 5, Path.of("/m/model.pt"), List.of("keep=last=3", "metric:loss=0.5")),
                new CheckpointWaitRequest(Duration.ofSeconds(1), Optional.of("r1")),
                new CheckpointWaitRequest(Duration.ofSeconds(1), Optional.empty()));
        var records = Stream.of(MountRequest.class.getDeclaredClasses()).filter(Class::isRecord).toList();
        assertThat(parsed.stream().map(Object::getClass)).as("all of them").containsAll(records);
    }

    @ParameterizedTest
    @ValueSource(strings = {"stats", "flush", "dirty 7", "job evict %2Fa", "trace-start 10", "something else"})
    void anOlderCommandIsToldToRestartTheMount(String line) throws IOException {
        assertThat(raw(line)).containsExactly(
                "error the mount runs a newer volsh than this command (protocol 2, not 1): restart the mount",
                "reason CONFLICT");
        assertThat(heard).isEmpty();
    }

    /** Whatever the version: else the mount could not be restarted, and a training job would fail for an upgrade. */
    @Test
    void whatEndsAMountAndWhatProgramsAskIsAnsweredAsEver() throws IOException {
        for (var line : LASTING) {
            assertThat(raw(line)).as(line).containsExactly("ok", "5");
        }
        assertThat(heard).hasSameSizeAs(LASTING);
    }

    @Test
    void aCommandOfALaterVersionHearsWhichOneTheMountSpeaks() throws IOException {
        assertThat(raw("volsh/3 stats")).hasSize(3).startsWith("volsh/2").element(1).asString().startsWith(
                "error the mount runs an older volsh than this command (protocol 2, not 3): restart the mount");
        assertThat(raw("volsh/2 flush")).containsExactly("volsh/2", "ok", "5");
        assertThat(raw("volsh/2 dirty x")).containsExactly("volsh/2", "error invalid arguments of request dirty: ino");
        assertThat(raw("volsh/2 sing")).containsExactly("volsh/2", "error unknown request: sing");
    }

    /** A mount of the version before this one answers what it does not know with an error. */
    @Test
    void anOlderMountHasToBeRestartedAndCanBe() throws Exception {
        answering("error unknown request: volsh/2 stats\n", old ->
                assertThatThrownBy(() -> Control.ask(old, new StatsRequest(), "volsh umount /m"))
                        .isInstanceOfSatisfying(Refusal.class, refused -> {
                            assertThat(refused.reason()).isEqualTo(Refusal.Reason.CONFLICT);
                            assertThat(refused.hints()).containsExactly("volsh umount /m");
                        }).hasMessage("the mount runs an older volsh than this command (protocol 1, not 2): "
                                + "restart the mount"));
        answering("ok\n0\n", old -> assertThat(Control.ask(old, new StoreRequest(Duration.ofSeconds(1)))).isZero());
        answering("ok\n", old -> Control.ask(old, new UnmountRequest(List.of())));
    }

    @Test
    void aNewerMountHasToBeRestartedToo() throws Exception {
        answering("volsh/3\nerror whatever it says\n",
                newer -> assertThatThrownBy(() -> Control.ask(newer, new FlushRequest()))
                .hasMessage("the mount runs a newer volsh than this command (protocol 3, not 2): restart the mount"));
    }

    /** Sends a line as a program does that knows nothing of our classes. */
    private List<String> raw(String line) throws IOException {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            Channels.newOutputStream(channel).write((line + "\n").getBytes(StandardCharsets.UTF_8));
            return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private interface Client {
        void ask(Path socket) throws Exception;
    }

    /** A mount that answers one request, whatever it is, with this. */
    private void answering(String answer, Client client) throws Exception {
        var other = directory.resolve("other");
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(other));
            Thread.ofPlatform().daemon().start(() -> {
                try (var peer = server.accept()) {
                    Channels.newInputStream(peer).read(new byte[4096]);
                    Channels.newOutputStream(peer).write(answer.getBytes(StandardCharsets.UTF_8));
                } catch (IOException gone) {
                    // the client says what is wrong
                }
            });
            client.ask(other);
        } finally {
            Files.delete(other);
        }
    }
}
