package volsh.command.mount;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A program in a directory that does one thing after the other, as it is told, and keeps what it has open. It ends when
 * it is closed.
 */
record Python(Process process, BufferedWriter orders, BufferedReader answers) implements AutoCloseable {
    private static final String PROGRAM = """
            import sys, os, errno, fcntl
            for line in sys.stdin:
                try:
                    exec(line)
                    print('ok', flush=True)
                except OSError as failed:
                    print(errno.errorcode[failed.errno], flush=True)
            """;

    static Python in(Path directory) throws IOException {
        var process = new ProcessBuilder("sh", "-c", "cd \"$0\" && exec python3 -c \"$1\"", directory.toString(),
                PROGRAM)
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        return new Python(process, process.outputWriter(), process.inputReader());
    }

    /** "ok", or the name of the error number. */
    String does(String line) throws IOException {
        orders.write(line + "\n");
        orders.flush();
        return answers.readLine();
    }

    @Override
    public void close() throws IOException {
        orders.close();
        process.onExit().join();
    }
}
