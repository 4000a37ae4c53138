package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The linked runtime is complete for the jars beside it. */
final class RuntimeTest {
    @Test
    void hasEveryModuleTheJarsUse() throws IOException {
        assertThat(linkedModules()).containsAll(modulesUsedBy(jars()));
    }

    /** Negative control: a class that uses a module we do not link is noticed. */
    @Test
    void aMissingModuleIsNoticed() throws IOException {
        assertThat(linkedModules()).contains("java.base").doesNotContain("java.rmi");
        assertThat(modulesUsedBy(List.of(Image.project() + "/shell/build/classes/java/imageTest")))
                .contains("java.rmi");
    }

    /** Only here to be found by {@link #aMissingModuleIsNoticed}. */
    static final class UsesRemoteCalls {
        java.rmi.Remote remote;
    }

    private static Set<String> linkedModules() throws IOException {
        var listed = Image.run(Map.of(), Path.of("/"),
                List.of(Image.built().home() + "/runtime/bin/java", "--list-modules"));
        return listed.out().lines().map(line -> line.replaceFirst("@.*", "")).collect(Collectors.toSet());
    }

    private static Set<String> modulesUsedBy(List<String> classes) throws IOException {
        var command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/jdeps", "--multi-release", "25",
                "--ignore-missing-deps", "--print-module-deps"));
        command.addAll(classes);
        var found = Image.run(Map.of(), Path.of("/"), command);
        assertThat(found.exit()).as(found.out() + found.err()).isZero();
        return Stream.of(found.out().strip().split(",")).collect(Collectors.toSet());
    }

    private static List<String> jars() throws IOException {
        try (var files = Files.list(Image.built().home().resolve("lib"))) {
            return files.map(Path::toString).filter(name -> name.endsWith(".jar")).toList();
        }
    }
}
