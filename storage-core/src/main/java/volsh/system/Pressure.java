package volsh.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import volsh.proc.KernelFile;

/** The fraction of the last 10 seconds in which some task waited for a resource (/proc/pressure). */
public record Pressure(double cpu, double io, double memory) {
    /** Empty if the kernel does not provide it. */
    public static Optional<Pressure> read(Path proc) throws IOException {
        var directory = proc.resolve("pressure");
        if (!Files.isReadable(directory.resolve("io"))) {
            return Optional.empty();
        }
        return Optional.of(new Pressure(some(directory.resolve("cpu")), some(directory.resolve("io")),
                some(directory.resolve("memory"))));
    }

    private static double some(Path file) throws IOException {
        return parse(KernelFile.text(file));
    }

    static double parse(String text) {
        for (String line : text.split("\n")) {
            if (line.startsWith("some avg10=")) {
                return Double.parseDouble(line.substring("some avg10=".length()).split(" ")[0]) / 100;
            }
        }
        return 0;
    }
}
