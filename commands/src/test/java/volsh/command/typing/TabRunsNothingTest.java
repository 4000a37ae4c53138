package volsh.command.typing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.TestHost;
import volsh.command.complete.CompletionSources;
import volsh.command.man.Manual;
import volsh.command.tree.Commands;
import volsh.command.tree.Scratch;
import volsh.volume.Volumes;

/** A key that completes never runs what it completes, whatever the command. */
final class TabRunsNothingTest {
    /** What runs, plans or asks about a command, or runs code. */
    private static final Set<String> RUNS = Set.of("volsh/command/Action.run", "volsh/command/Mutation.run",
            "volsh/command/Mutation.plan", "volsh/command/Mutation.guard", "volsh/command/run/Caller.call",
            "volsh/command/run/CommandRunner.run", "volsh/command/run/CommandRunner.status",
            "volsh/command/run/CommandRunner.perform", "volsh/command/line/Lines.run",
            "volsh/command/line/Lines.value", "volsh/command/line/Language.entry",
            "volsh/command/line/Language.script", "volsh/command/line/Language.block", "volsh/command/line/Program.run",
            "volsh/command/line/Program.language", "java/lang/ProcessBuilder.start");

    @TempDir
    Path directory;

    /** The classes that complete have no way to run anything. */
    @Test
    void nothingThatCompletesCallsWhatRuns() throws IOException {
        assertThat(calls("volsh/command/complete")).hasSizeGreaterThan(100).doesNotContainAnyElementsOf(RUNS);
        assertThat(calls("volsh/command/typing")).hasSizeGreaterThan(100).doesNotContainAnyElementsOf(RUNS);
        assertThat(calls("volsh/command/run")).as("and it would be noticed").containsAnyElementsOf(RUNS);
    }

    private static List<String> calls(String folder) throws IOException {
        Path classes = Stream.of(System.getProperty("java.class.path").split(":")).map(Path::of)
                .filter(entry -> Files.exists(entry.resolve("volsh/command/typing/LineCompleter.class"))).findFirst()
                .orElseThrow();
        var calls = new ArrayList<String>();
        try (var files = Files.list(classes.resolve(folder))) {
            for (Path file : files.filter(name -> name.toString().endsWith(".class")).toList()) {
                collect(ClassFile.of().parse(file), calls);
            }
        }
        return calls;
    }

    private static void collect(ClassModel type, List<String> calls) {
        type.methods().forEach(method -> method.code().ifPresent(code -> {
            for (CodeElement element : code) {
                if (element instanceof InvokeInstruction call) {
                    calls.add(call.owner().asInternalName() + "." + call.name().stringValue());
                }
            }
        }));
    }

    /** Every command of the tree is completed at every place, and the home is as it was: to the last file. */
    @Test
    void everyMutatorIsCompletedAndNothingChanges() {
        var scratch = new Scratch(directory.resolve("home"));
        assertThat(scratch.run("volume create keep").status()).isZero();
        var before = scratch.files();
        var host = new TestHost();
        host.services().with(Volumes.class, scratch::volumes);
        // which opens no volume
        var tree = Commands.tree(host.services(), CompletionSources.PROMPT_PATIENCE.plusMillis(1));
        var completer = new LineCompleter(Typist.lexicon(tree.names()));
        int completed = 0;
        for (CommandSpec command : leaves(tree.spec(), new ArrayList<>())) {
            String name = command.qualifiedName().substring("volsh ".length());
            String code = name.replace(' ', '.');
            for (String line : List.of(name + " ", name + " keep ", name + " keep --", name + " keep --confirm keep ",
                    "x = :" + name + " keep ", code + "('keep').", code + "('keep', ", name + " keep | ",
                    name + " ${" + code + "('keep').")) {
                completer.complete(line, line.length());
                completed++;
            }
        }
        assertThat(completed).isGreaterThan(300);
        assertThat(scratch.files()).isEqualTo(before);
        assertThat(scratch.run("volume create evil").status()).isZero();
        assertThat(scratch.files()).as("a change would be noticed").isNotEqualTo(before);
    }

    private static List<CommandSpec> leaves(CommandSpec spec, List<CommandSpec> found) {
        if (spec.subcommands().isEmpty()) {
            found.add(spec);
        }
        Manual.visible(spec).forEach(sub -> leaves(sub, found));
        return found;
    }
}
