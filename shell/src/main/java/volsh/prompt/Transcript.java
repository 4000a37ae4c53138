package volsh.prompt;

import static java.nio.file.StandardOpenOption.APPEND;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.disk.Trust;
import volsh.unit.Span;

/**
 * A record of input and output as a file of lines that {@code volsh run} can replay: entries are verbatim, everything
 * else is a comment: {@code #|} output, {@code #=} the exit code, {@code #>} an entry that only a prompt understands.
 * Omits secrets. Thread-safe.
 */
class Transcript implements AutoCloseable {
    private static final String HEAD = "# volsh transcript";
    private static final Pattern ESCAPES = Pattern.compile(
            "\u001b(\\[[0-9;?]*[a-zA-Z]|\\][^\u0007]*\u0007|[()][A-Z0-9]|[=>])");

    /** No transcript. */
    static final Transcript NONE = new Transcript(Writer.nullWriter()) {
        @Override
        void output(byte[] bytes, int offset, int length) {}

        @Override
        boolean keeps() {
            return false;
        }

        @Override
        public void close() {}
    };

    private final Writer file;
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();
    private @Nullable IOException failure;

    private Transcript(Writer file) {
        this.file = file;
    }

    /** Starts or continues a transcript; refuses any other existing file. */
    static Transcript to(Path path, Instant now) throws IOException {
        var flaw = Trust.ofThisProcess().ofFile(path);
        if (flaw.isPresent()) {
            String why = "cannot write a transcript to '%s': %s: %s".formatted(path, flaw.get().path(),
                    flaw.get().reason());
            throw CommandFailure.of(ExitCode.PERMISSION, "CLI-0013", why).hint(flaw.get().fix());
        }
        if (Files.exists(path) && Files.size(path) > 0 && !isOne(path)) {
            throw CommandFailure.usage("'" + path + "' exists and is not a transcript")
                    .hint("transcript on another.transcript");
        }
        var transcript = new Transcript(Files.newBufferedWriter(PrivateFile.ready(path), APPEND));
        transcript.line(HEAD + ", " + now);
        return transcript;
    }

    private static boolean isOne(Path path) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(path, StandardCharsets.ISO_8859_1)) {
            String first = reader.readLine();
            return first != null && first.startsWith(HEAD);
        }
    }

    /** Whether a transcript is being recorded. */
    boolean keeps() {
        return true;
    }

    /** An entry. {@code again}: what to run to do the same; empty when only a prompt can. */
    synchronized void entry(String typed, String again) {
        if (Secrets.in(typed)) {
            line("# a line was omitted");
            return;
        }
        if (!again.equals(typed)) {
            typed.lines().forEach(each -> line("#> " + each));
        }
        if (!again.isEmpty()) {
            line(again);
        }
    }

    /** Records output; of overwritten text, only the last version. */
    void output(byte[] bytes, int offset, int length) {
        synchronized (this) {
            for (int i = offset; i < offset + length; i++) {
                if (bytes[i] == '\n') {
                    shown();
                } else {
                    rest.write(bytes[i]);
                }
            }
        }
    }

    private void shown() {
        String text = ESCAPES.matcher(rest.toString(StandardCharsets.UTF_8)).replaceAll("").replaceAll("\r+$", "");
        rest.reset();
        line("#| " + Secrets.hidden(text.substring(text.lastIndexOf('\r') + 1)));
    }

    /** Records how an entry ended. @throws IOException once if the file cannot be written, which ends the transcript */
    synchronized void end(int status, Span took) throws IOException {
        if (rest.size() > 0) {
            shown();
        }
        line("#= exit " + status + ", took " + took);
        if (failure != null) {
            throw failure;
        }
        file.flush();
    }

    /** Ignores a failure here, so that output continues; it is reported at the end of the entry. */
    private void line(String text) {
        try {
            if (failure == null) {
                file.write(text + "\n");
            }
        } catch (IOException full) {
            failure = full;
        }
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }
}
