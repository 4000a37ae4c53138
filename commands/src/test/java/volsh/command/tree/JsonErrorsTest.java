package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.Services;
import volsh.command.man.Manual;

/** With {@code -o json} every command's errors are JSON, and say the number the command ends with. */
final class JsonErrorsTest {
    @TempDir
    Path directory;

    private final List<CommandSpec> commands = new ArrayList<>();

    @Test
    void everyCommandTellsItsErrorsAsJson() {
        collect(Commands.tree(new Services()).spec());
        assertThat(commands).hasSizeGreaterThan(40);
        var scratch = new Scratch(directory.resolve("home"));
        int missing = 0;
        for (CommandSpec command : commands) {
            String name = command.qualifiedName();
            error(name + " --no-such-option", 2, scratch.run(name + " --no-such-option -o json"));
            if (named(command)) {
                error(name + " nosuch", 3, scratch.run(name + " nosuch -o json --confirm nosuch"));
                missing++;
            }
        }
        assertThat(missing).as("commands that take one volume").isGreaterThan(3);
        error("moutn", 127, scratch.run("volsh -o json moutn x"));
    }

    private void collect(CommandSpec spec) {
        if (spec.subcommands().isEmpty()) {
            commands.add(spec);
        }
        Manual.visible(spec).forEach(this::collect);
    }

    private static boolean named(CommandSpec command) {
        return command.options().stream().noneMatch(option -> option.required())
                && command.positionalParameters().size() == 1
                && command.positionalParameters().getFirst().paramLabel().equals("VOLUME");
    }

    private static void error(String line, int status, Scratch.Ended ended) {
        assertThat(ended.status()).as(line + "\n" + ended.err()).isEqualTo(status);
        assertThat(ended.out()).as(line).isEmpty();
        assertThat(ExamplesProgram.isJson(ended.err())).as(line + "\n" + ended.err()).isTrue();
        assertThat(ended.err()).as(line).contains("\"exit\":" + status)
                .contains("\"retryable\":false", "\"message\":", "\"hints\":");
    }

    /** The test above can fail. */
    @Test
    void whatIsNotJsonIsNoticed() {
        assertThat(List.of("", "error: x", "{\"a\": 1} x", "{\"a\": 1", "[1] [2]")).noneMatch(ExamplesProgram::isJson);
        assertThat(List.of("{\"a\": [1, {}]}", "[]", "3")).allMatch(ExamplesProgram::isJson);
    }
}
