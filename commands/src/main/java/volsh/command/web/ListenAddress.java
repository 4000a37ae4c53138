package volsh.command.web;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** An address to listen on, as people write it: {@code PORT}, {@code ADDRESS:PORT} or {@code [IPV6]:PORT}. */
public record ListenAddress(InetAddress address, int port) {
    private static final int PORT_MAX = 65_535;
    /** Only numbers: a name might be looked up elsewhere, and mean another machine tomorrow. */
    private static final Pattern NUMERIC = Pattern.compile("[0-9.]+|\\[[0-9a-fA-F:.]+]");

    public ListenAddress {
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException("a port is between 0 and 65535: " + port);
        }
    }

    public static ListenAddress of(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "127.0.0.1" : text.substring(0, colon).replace("localhost", "127.0.0.1");
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (!NUMERIC.matcher(host).matches()) {
                throw wrong(text);
            }
            return new ListenAddress(InetAddress.getByName(host), port);
        } catch (NumberFormatException | UnknownHostException notAnAddress) {
            throw wrong(text);
        }
    }

    private static IllegalArgumentException wrong(String text) {
        return new IllegalArgumentException("not PORT or ADDRESS:PORT, such as 127.0.0.1:8080: '%s'".formatted(text));
    }

    boolean isLoopback() {
        return address.isLoopbackAddress();
    }

    InetSocketAddress socket() {
        return new InetSocketAddress(address, port);
    }

    @Override
    public String toString() {
        return (address.getHostAddress().contains(":") ? "[%s]:%d" : "%s:%d").formatted(address.getHostAddress(), port);
    }
}
