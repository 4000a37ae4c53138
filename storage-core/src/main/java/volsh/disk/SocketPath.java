package volsh.disk;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The address of a socket with a path of any length: the kernel accepts 107 bytes, Java one less. A longer path is
 * reached through its directory, which is held open until this is closed.
 */
public final class SocketPath implements AutoCloseable {
    private static final int PATH_MAX = 106;

    private final Path path;
    private final @Nullable PathDescriptor directory;   // null if the path is short enough

    private SocketPath(Path path, @Nullable PathDescriptor directory) {
        this.path = path;
        this.directory = directory;
    }

    public static SocketPath of(Path socket) throws IOException {
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length <= PATH_MAX) {
            return new SocketPath(socket, null);
        }
        var directory = PathDescriptor.of(Disk.directoryOf(socket.toAbsolutePath()).toRealPath());
        return new SocketPath(directory.path().resolve(socket.getFileName()), directory);
    }

    /** The address to bind or connect to before this is closed. */
    public UnixDomainSocketAddress address() {
        return UnixDomainSocketAddress.of(path);
    }

    @Override
    public void close() {
        if (directory != null) {
            directory.close();
        }
    }
}
