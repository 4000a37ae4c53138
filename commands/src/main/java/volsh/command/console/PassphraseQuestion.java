package volsh.command.console;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import volsh.assembly.KeySecrets;
import volsh.command.Cancellation;
import volsh.command.failure.CancelledException;

/**
 * Asks for the passphrase of a volume at the terminal of the process, without showing what is typed. Asks only within a
 * command whose user can be asked.
 */
public final class PassphraseQuestion implements KeySecrets.Asker {
    private static final ScopedValue<Asked> ASKED = ScopedValue.newInstance();
    private static final File TERMINAL = new File("/dev/tty");
    private static final int LONGEST = 4096;
    private static final long LOOK_MILLIS = 100;

    /** The command whose user is asked. */
    private record Asked(BooleanSupplier allowed, Messages messages, Cancellation cancellation) {}

    /** Runs a command that may ask if {@code allowed} says so, and whose progress waits meanwhile. */
    public static <R> R during(BooleanSupplier allowed, Messages messages, Cancellation cancellation, Callable<R> work)
            throws Exception {
        return ScopedValue.where(ASKED, new Asked(allowed, messages, cancellation)).call(work::call);
    }

    @Override
    public Optional<String> ask(String volume, boolean again) throws IOException {
        if (!ASKED.isBound() || !ASKED.get().allowed().getAsBoolean() || !Attendance.isThere()
                || !TERMINAL.canWrite()) {
            return Optional.empty();
        }
        var asked = ASKED.get();
        asked.messages().beginQuestion();
        try (var terminal = FileChannel.open(TERMINAL.toPath(), StandardOpenOption.READ, StandardOpenOption.WRITE);
                var _ = asked.cancellation().interrupting()) {
            var first = typed(terminal, "Passphrase of volume '%s': ".formatted(volume));
            if (again && first.isPresent() && !typed(terminal, "The same again: ").equals(first)) {
                throw new IOException("the two passphrases differ; nothing was changed");
            }
            return first;
        } finally {
            asked.messages().endQuestion();
        }
    }

    /** Empty if the command goes to the background before there is an answer. */
    private static Optional<String> typed(FileChannel terminal, String question) throws IOException {
        echo(false);   // first: who sees the question may type at once
        var line = new CompletableFuture<String>();
        // a thread of its own: an interrupt ends what it waits for, and Ctrl-C must
        var reader = Thread.ofPlatform().daemon().name("passphrase").unstarted(() -> {
            try {
                line.complete(line(terminal));
            } catch (IOException | RuntimeException failure) {
                line.completeExceptionally(failure);
            }
        });
        try {
            terminal.write(ByteBuffer.wrap(question.getBytes(StandardCharsets.UTF_8)));
            reader.start();
            while (Attendance.isThere()) {
                try {
                    return Optional.of(line.get(LOOK_MILLIS, TimeUnit.MILLISECONDS));
                } catch (TimeoutException notYet) {
                    // look again whether somebody is there
                }
            }
            return Optional.empty();
        } catch (InterruptedException stop) {
            throw new CancelledException();
        } catch (ExecutionException failed) {
            throw new IOException("cannot read from the terminal", failed.getCause());
        } finally {
            reader.interrupt();   // further keys belong to the next reader
            echo(true);
            try (var out = new FileOutputStream(TERMINAL)) {
                out.write('\n');
            }
        }
    }

    private static String line(FileChannel terminal) throws IOException {
        var line = new ByteArrayOutputStream();
        var one = ByteBuffer.allocate(1);
        while (line.size() < LONGEST && terminal.read(one.clear()) > 0 && one.get(0) != '\n') {
            line.write(one.get(0));
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    private static void echo(boolean on) throws IOException {
        var stty = new ProcessBuilder("stty", on ? "echo" : "-echo").redirectInput(TERMINAL)
                .redirectError(ProcessBuilder.Redirect.DISCARD).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        try {
            if (!stty.waitFor(5, TimeUnit.SECONDS) || stty.exitValue() != 0) {
                throw new IOException("cannot hide what is typed at this terminal");
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("cancelled", stop);
        }
    }
}
