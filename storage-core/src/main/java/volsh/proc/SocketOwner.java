package volsh.proc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.OptionalInt;

/** The user behind the other end of a TCP connection of this machine, from {@code /proc/net/tcp} and {@code tcp6}. */
public final class SocketOwner {
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int USER = 7;
    private static final int WORD = 4;

    private SocketOwner() {}

    /** Finds the user id of the process that connected from {@code client} to {@code server}; empty if unknown. */
    public static OptionalInt of(Path proc, InetSocketAddress client, InetSocketAddress server) throws IOException {
        for (String table : new String[] {"tcp", "tcp6"}) {
            Path file = proc.resolve("net").resolve(table);
            if (!Files.exists(file)) {
                continue;   // a kernel without IPv6
            }
            var owner = KernelFile.text(file).lines().skip(1).map(line -> line.strip().split("\\s+"))
                    .filter(fields -> fields.length > USER)
                    .filter(fields -> isAt(fields[LOCAL], client) && isAt(fields[REMOTE], server))
                    .mapToInt(fields -> Integer.parseInt(fields[USER])).findFirst();
            if (owner.isPresent()) {
                return owner;
            }
        }
        return OptionalInt.empty();
    }

    /** Returns the user id that this process runs as. */
    public static int self() throws IOException {
        return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    private static boolean isAt(String text, InetSocketAddress address) {
        int colon = text.indexOf(':');
        return Integer.parseInt(text, colon + 1, text.length(), 16) == address.getPort()
                && address(text.substring(0, colon)).equals(address.getAddress());
    }

    /** The kernel prints addresses as words of 32 bits, each with its lowest byte first. */
    private static InetAddress address(String hex) {
        byte[] printed = HexFormat.of().parseHex(hex);
        byte[] bytes = new byte[printed.length];
        for (int i = 0; i < printed.length; i++) {
            bytes[i] = printed[i / WORD * WORD + WORD - 1 - i % WORD];
        }
        try {
            return InetAddress.getByAddress(bytes);   // an IPv4 address in IPv6 becomes plain IPv4
        } catch (UnknownHostException never) {
            throw new IllegalArgumentException(hex, never);
        }
    }
}
