package volsh.tree;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import volsh.fs.NoSpaceException;

/** Writes a local file under a temporary name, syncs it and renames it. */
final class LocalWriter implements TreeWriter {
    private final Path target;
    private final Path temporary;
    private final NewEntry file;
    private final FileChannel channel;
    private boolean committed;

    LocalWriter(Path target, Path temporary, NewEntry file) throws IOException {
        this.target = target;
        this.temporary = temporary;
        this.file = file;
        this.channel = FileChannel.open(temporary,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    }

    @Override
    public int part() {
        return 0;
    }

    @Override
    public void write(long offset, ByteBuffer bytes) throws IOException {
        try {
            for (long at = offset; bytes.hasRemaining(); ) {
                at += channel.write(bytes, at);
            }
        } catch (IOException failed) {
            throw NoSpaceException.typed("%s: %s".formatted(target, failed.getMessage()), failed);
        }
    }

    @Override
    public void commit() throws IOException {
        if (file.mode() >= 0) {
            Files.setAttribute(temporary, "unix:mode", file.mode());
        }
        channel.close();
        if (file.modified() >= 0) {
            Files.setLastModifiedTime(temporary, FileTime.from(file.modified(), TimeUnit.NANOSECONDS));
        }
        LocalTree.move(temporary, target);
        committed = true;
    }

    @Override
    public void close() throws IOException {
        channel.close();
        if (!committed) {
            Files.deleteIfExists(temporary);
        }
    }
}
