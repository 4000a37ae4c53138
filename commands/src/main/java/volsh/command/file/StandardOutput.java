package volsh.command.file;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import volsh.command.Session;
import volsh.command.console.BrokenPipeException;

/** Standard output for bulk data: written from native memory if the stream is a real file descriptor. */
public final class StandardOutput implements WritableByteChannel {
    private final WritableByteChannel target;

    private StandardOutput(WritableByteChannel target) {
        this.target = target;
    }

    public static WritableByteChannel of(Session session) throws IOException {
        session.out().flush();
        return session.host().out() instanceof FileOutputStream file
                ? new StandardOutput(file.getChannel()) : Channels.newChannel(session.out());
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        try {
            return target.write(source);
        } catch (IOException failed) {
            throw BrokenPipeException.is(failed) ? new BrokenPipeException(failed) : failed;
        }
    }

    @Override
    public boolean isOpen() {
        return target.isOpen();
    }

    /** Standard output stays open. */
    @Override
    public void close() {}
}
