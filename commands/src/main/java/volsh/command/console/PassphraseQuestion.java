package volsh.command.console;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import volsh.assembly.KeySecrets;

/**
 * Asks for the passphrase of a volume at the terminal of the process, without showing what is typed. Asks only within a
 * command whose user can be asked.
 */
public final class PassphraseQuestion implements KeySecrets.Asker {
    private static final ScopedValue<BooleanSupplier> ALLOWED = ScopedValue.newInstance();
    private static final File TERMINAL = new File("/dev/tty");
    private static final int LONGEST = 4096;

    /** Runs a command that may ask if {@code allowed} says so. */
    public static <R> R during(BooleanSupplier allowed, Callable<R> work) throws Exception {
        return ScopedValue.where(ALLOWED, allowed).call(work::call);
    }

    @Override
    public Optional<String> ask(String volume, boolean again) throws IOException {
        if (!ALLOWED.isBound() || !ALLOWED.get().getAsBoolean() || !Attendance.isThere() || !TERMINAL.canWrite()) {
            return Optional.empty();
        }
        try (var terminal = new RandomAccessFile(TERMINAL, "rw")) {
            String first = typed(terminal, "Passphrase of volume '%s': ".formatted(volume));
            if (again && !typed(terminal, "The same again: ").equals(first)) {
                throw new IOException("the two passphrases differ; nothing was changed");
            }
            return Optional.of(first);
        }
    }

    private static String typed(RandomAccessFile terminal, String question) throws IOException {
        terminal.write(question.getBytes(StandardCharsets.UTF_8));
        echo(false);
        try {
            var line = new StringBuilder();
            for (int next = terminal.read(); next >= 0 && next != '\n' && line.length() < LONGEST;
                    next = terminal.read()) {
                line.append((char) next);
            }
            return new String(line.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8).strip();
        } finally {
            echo(true);
            terminal.write('\n');
        }
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
