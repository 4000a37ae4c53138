package volsh.shell;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import volsh.meta.ChildJvm;

/**
 * How tests start volsh: from the image that {@code ./check} has just built, in a fraction of the CPU time, or else
 * from the classes.
 */
public final class Launch {
    private Launch() {}

    /** The words before those of the command, for any working directory. */
    public static List<String> words() {
        String image = System.getProperty("volsh.image");
        return image == null ? classes(Main.class)
                : List.of(Path.of(image).toAbsolutePath().resolve("bin/volsh").toString());
    }

    /** A main class of the tests. */
    static List<String> classes(Class<?> main) {
        String path = Stream.of(System.getProperty("java.class.path").split(":"))
                .map(entry -> Path.of(entry).toAbsolutePath().toString()).collect(Collectors.joining(":"));
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "-Xmx256m", "--enable-native-access=ALL-UNNAMED", "-Djava.library.path="
                        + System.getProperty("java.library.path"), ChildJvm.natives(), "-cp", path, main.getName());
    }
}
