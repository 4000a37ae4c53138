package volsh.proc;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real /proc, with IPv4 and IPv6, and tables as other kernels print them. */
final class SocketOwnerTest {
    private static final Path PROC = Path.of("/proc");

    @TempDir
    Path directory;

    private static void isOurs(String address) throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getByName(address));
                var client = new Socket(server.getInetAddress(), server.getLocalPort());
                        var accepted = server.accept()) {
            var from = (InetSocketAddress) accepted.getRemoteSocketAddress();
            var to = (InetSocketAddress) accepted.getLocalSocketAddress();
            assertThat(SocketOwner.of(PROC, from, to)).hasValue(SocketOwner.self());
            assertThat(SocketOwner.of(PROC, from, new InetSocketAddress(to.getAddress(), to.getPort() ^ 1))).isEmpty();
            assertThat(client.isConnected()).isTrue();
        }
    }

    @Test
    void aConnectionOfThisProcess() throws Exception {
        isOurs("127.0.0.1");
        if (Files.exists(Path.of("/proc/net/if_inet6"))) {
            isOurs("::1");
        }
    }

    /** The server's own row is the other way round, and is not taken for the client's. */
    @Test
    void theRowOfTheClientCounts() throws Exception {
        var net = Files.createDirectories(directory.resolve("net"));
        Files.writeString(net.resolve("tcp"), """
                  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
                   0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 1
                   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 2
                """);
        Files.writeString(net.resolve("tcp6"), """
                  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
                   0: 0000000000000000FFFF00000100007F:C351 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 3
                """);
        var server = new InetSocketAddress("127.0.0.1", 8080);
        assertThat(SocketOwner.of(directory, new InetSocketAddress("127.0.0.1", 50000), server)).hasValue(1001);
        assertThat(SocketOwner.of(directory, new InetSocketAddress("127.0.0.1", 50001), server)).as("IPv4 in IPv6")
                .hasValue(1002);
        assertThat(SocketOwner.of(directory, new InetSocketAddress("127.0.0.1", 50002), server)).isEmpty();
    }
}
