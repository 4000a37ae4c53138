package volsh.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Converters;
import volsh.command.Examples;
import volsh.command.OptionNames;
import volsh.command.Services;
import volsh.command.Session;
import volsh.command.man.Manual;
import volsh.command.run.Call;
import volsh.command.run.CommandTree;
import volsh.command.run.Node;
import volsh.command.run.Words;
import volsh.command.tree.Commands;

/** What every command of the program keeps to. */
final class CommandTreeTest {
    private static final CommandTree TREE = Commands.tree(new Services());

    @Test
    void everyCommandKeepsTheRules() {
        var faults = new ArrayList<String>();
        int commands = check(TREE, TREE.spec(), faults);
        assertThat(faults).isEmpty();
        assertThat(commands).isGreaterThan(5);
    }

    private static int check(CommandTree tree, CommandSpec spec, List<String> faults) {
        String name = spec.qualifiedName();
        Manual manual = Manual.of(spec);
        expect(manual.summary().endsWith("."), name + ": its description is not a sentence", faults);
        expect(!manual.examples().isEmpty(), name + ": no example", faults);
        int commands = 1;
        var names = new HashSet<String>();
        for (CommandSpec sub
                : new HashSet<>(spec.subcommands().values().stream().map(line -> line.getCommandSpec()).toList())) {
            var all = new ArrayList<>(List.of(sub.aliases()));
            all.add(sub.name());
            all.forEach(any -> expect(names.add(any), name + ": two commands are called " + any, faults));
            commands += check(tree, sub, faults);
        }
        if (spec.subcommands().isEmpty()) {
            leaf(tree, spec, faults);
        }
        return commands;
    }

    private static void leaf(CommandTree tree, CommandSpec spec, List<String> faults) {
        String name = spec.qualifiedName();
        expect(spec.userObject() instanceof Action<?>, name + ": not an Action", faults);
        Command annotation = spec.userObject().getClass().getAnnotation(Command.class);
        expect(annotation != null && annotation.name().equals(spec.name()), name + ": @Command says another name",
                faults);
        for (ArgSpec argument : spec.args()) {
            expect(argument.hidden() || argument.description().length > 0, name + ": not documented: "
                    + argument.paramLabel(), faults);
        }
        for (OptionSpec option : spec.options()) {
            expect(!OptionNames.shown(option).isEmpty(), name + ": no kebab-case name for " + option.longestName(),
                    faults);
            expect(OptionNames.shown(option).stream()
                    .allMatch(any -> any.matches("-[a-zA-Z0-9]|--[a-z][a-z0-9]*(-[a-z0-9]+)*")),
                    name + ": not kebab-case: " + option.longestName(), faults);
            expect(OptionNames.main(option).startsWith("--"), name + ": no long name for " + option.longestName(),
                    faults);
        }
        for (String example : Manual.of(spec).examples()) {
            expect(parses(tree, spec, example), name + ": its example is not a line of it: " + example, faults);
        }
    }

    private static boolean parses(CommandTree tree, CommandSpec spec, String example) {
        try {
            return example.startsWith("volsh ")
                    && Call.parse(tree, Words.of(example)).spec().qualifiedName().equals(spec.qualifiedName());
        } catch (RuntimeException wrong) {
            return false;
        }
    }

    private static void expect(boolean condition, String fault, List<String> faults) {
        if (!condition) {
            faults.add(fault);
        }
    }

    @Command(name = "other", description = "no sentence")
    @Examples("volsh bad --nope")
    static final class Bad implements Action<Void> {
        @Option(names = "--camelCase")
        boolean camel;
        @Option(names = "-x", description = "Short only.")
        boolean small;
        @Parameters(paramLabel = "WHAT")
        String what;

        @Override
        public Void run(Session session) {
            return null;
        }
    }

    @Test
    void theRulesNoticeEveryFault() {
        var tree = new CommandTree(List.of(Node.command("bad", Bad::new)), Converters.standard());
        var faults = new ArrayList<String>();
        check(tree, tree.spec(), faults);
        assertThat(faults).contains("volsh bad: its description is not a sentence",
                "volsh bad: @Command says another name",
                "volsh bad: not documented: WHAT", "volsh bad: no kebab-case name for --camelCase",
                        "volsh bad: no long name for -x",
                "volsh bad: its example is not a line of it: volsh bad --nope");
    }
}
