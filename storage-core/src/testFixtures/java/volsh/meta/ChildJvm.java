package volsh.meta;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another process with the class path of this one. Closing kills it. */
public final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private ChildJvm(Process process) {
        this.process = process;
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Runs {@code main} with what it unpacks below {@code temporary}. */
    public static ChildJvm start(Path temporary, Class<?> main, Object... arguments) throws IOException {
        return start(List.of(), temporary, main, arguments);
    }

    /**
     * Where native libraries are: a process that is killed would leave those it unpacked in the directory for temporary
     * files.
     */
    public static String natives() {
        return "-Dorg.sqlite.lib.path=" + Path.of(System.getProperty("org.sqlite.lib.path")).toAbsolutePath();
    }

    /** Runs it under another program, such as a tracer. */
    public static ChildJvm start(List<String> under, Path temporary, Class<?> main, Object... arguments)
            throws IOException {
        var command = new ArrayList<>(under);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED", natives(), "-Djava.io.tmpdir=" + temporary, "-cp",
                System.getProperty("java.class.path"), main.getName()));
        for (var argument : arguments) {
            command.add(argument.toString());
        }
        return new ChildJvm(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /** The next line it printed; null when it has ended. */
    public String line() throws IOException {
        return output.readLine();
    }

    /** All further lines, once it has ended. */
    public List<String> lines() throws IOException {
        return output.lines().toList();
    }

    /** Ends it at once, wherever it is. What it printed can still be read. */
    public void kill() {
        process.toHandle().destroyForcibly();
    }

    /** Sends a signal, by name. */
    public void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start().waitFor();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** How it ended. */
    public int exitCode() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public void close() {
        kill();
        process.onExit().join();
    }
}
