package volsh.s3test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback ports for servers that are told which to take: below those that the kernel gives to clients, who could take
 * one before its server has it.
 */
public final class KeptPorts {
    private static final int FIRST = 15_000;
    private static final int END = 32_000;

    private KeptPorts() {}

    /** One that is free now. */
    public static int next() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return port;
            } catch (IOException taken) {
                // another one
            }
        }
    }
}
