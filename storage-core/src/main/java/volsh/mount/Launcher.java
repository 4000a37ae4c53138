package volsh.mount;

import java.nio.file.Path;
import java.util.List;

/** The command line that starts another volsh like this one. */
public record Launcher(List<String> words) {
    public Launcher {
        words = List.copyOf(words);
    }

    /** The image's launcher if it started this process, otherwise this Java with this class path. */
    public static Launcher ofThisProcess() {
        var launcher = System.getProperty("volsh.launcher");
        if (launcher != null) {
            return new Launcher(List.of(launcher));
        }
        return new Launcher(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                "volsh.shell.Main"));
    }
}
