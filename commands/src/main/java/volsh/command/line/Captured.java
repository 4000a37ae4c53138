package volsh.command.line;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import volsh.unit.ByteSize;

/** The output of a command as text for the next stage of a pipe, up to a limit. */
final class Captured extends OutputStream {
    private static final int MOST = 64 << 20;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
        if (length > MOST - bytes.size()) {
            throw new IOException("a pipe holds at most %s of text".formatted(new ByteSize(MOST)));
        }
        bytes.write(source, offset, length);
    }

    String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
