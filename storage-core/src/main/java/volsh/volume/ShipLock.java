package volsh.volume;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import volsh.ship.Turn;

/** The turn to ship a volume's metadata, as a lock on a file beside it. It ends with the process. */
record ShipLock(Path directory) implements Turn {
    static final String NAME = "ship.lock";

    @Override
    public Optional<Held> take() throws IOException {
        var channel = FileChannel.open(directory.resolve(NAME),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        boolean taken = false;
        try {
            taken = channel.tryLock() != null;
        } catch (OverlappingFileLockException ours) {
            // another opened volume of this process has it
        } finally {
            if (!taken) {
                channel.close();
            }
        }
        return taken ? Optional.of(channel::close) : Optional.empty();
    }
}
