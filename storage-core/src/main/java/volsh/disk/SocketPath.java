package volsh.disk;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How a socket in a directory is addressed, however long its path is: the kernel takes 107 bytes, Java one less. A longer
 * one is reached through the directory, which is open until this is closed.
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

    /** To bind to, or to connect with, before this is closed. */
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
