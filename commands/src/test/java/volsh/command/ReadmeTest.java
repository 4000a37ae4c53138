package volsh.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.builtin.Builtins;
import volsh.command.complete.CompletionSources;
import volsh.command.failure.ExitCode;
import volsh.command.run.CommandTree;
import volsh.command.run.Node;

/** The example in commands/README.md compiles and does what it says. */
final class ReadmeTest {
    @TempDir
    Path directory;

    @Test
    void theExampleWorks() throws Exception {
        try (var loader = new URLClassLoader(new URL[] {compiled().toUri().toURL()})) {
            Class<?> command = loader.loadClass("volsh.command.pool.PoolCreate");
            CommandTree tree = tree(command);
            assertThat(host(loader, true).run(tree, "pool", "create", "x", "-n", "--exit-code"))
                    .isEqualTo(ExitCode.PENDING);
            assertThat(host(loader, true).run(tree, "pool", "create", "prod")).isEqualTo(ExitCode.USAGE);
            TestHost host = host(loader, true);
            assertThat(host.run(tree, "pool", "create", "scratch", "--size", "200GiB", "-o", "jsonl"))
                    .isEqualTo(ExitCode.OK);
            assertThat(host.out()).isEqualTo("{\"name\": \"scratch\", \"sizeBytes\": 214748364800}\n");
            assertThat(host.err()).isEqualTo("created pool scratch\n");
            TestHost taken = host(loader, false);
            assertThat(taken.run(tree, "pool", "create", "scratch")).isEqualTo(ExitCode.CONFLICT);
            assertThat(taken.err()).contains("error: pool 'scratch' exists [POOL-0017]");
        }
    }

    @SuppressWarnings("unchecked")
    private static CommandTree tree(Class<?> command) throws ReflectiveOperationException {
        var nodes = command.getDeclaredField("NODES");
        nodes.setAccessible(true);
        return Builtins.tree((List<Node>) nodes.get(null), Converters.standard(), new CompletionSources());
    }

    @SuppressWarnings("unchecked")
    private static TestHost host(ClassLoader loader, boolean creates) throws ReflectiveOperationException {
        var host = new TestHost();
        Class<Object> pools = (Class<Object>) loader.loadClass("volsh.command.pool.PoolCreate$Pools");
        host.services().with(pools, () -> Proxy.newProxyInstance(loader, new Class<?>[] {pools}, (_, _, _) -> creates));
        return host;
    }

    private Path compiled() throws IOException {
        Path source = directory.resolve("PoolCreate.java");
        Files.writeString(source, example());
        int errors = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", System.getProperty("java.class.path"),
                "-d", directory.resolve("classes").toString(), source.toString());
        assertThat(errors).isZero();
        return directory.resolve("classes");
    }

    private static String example() throws IOException {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("commands/README.md"))) {
            root = root.getParent();
            assertThat(root).as("no commands/README.md above the working directory").isNotNull();
        }
        String readme = Files.readString(root.resolve("commands/README.md"));
        int start = readme.indexOf("```java\n") + "```java\n".length();
        return readme.substring(start, readme.indexOf("```", start));
    }
}
