package volsh.command.complete;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import volsh.command.Services;
import volsh.command.run.CommandTree;
import volsh.command.tree.Commands;

/** Every value that a command takes is completed, or is one that only its author can know. */
final class OptionValuesTest {
    /** Numbers, new names, patterns and texts. */
    private static final Set<String> FREE = Set.of("N", "NUMBER", "ID", "INODE", "PRICE", "AxBxC", "NAME", "PROFILE",
            "NAME=NUMBER", "NAME=TEXT", "TEXT", "WORD", "GLOB", "PATTERN", "REGEX", "CODE", "LINE",
            "FIELD", "FIELD=ENCODING", "NAME=SHARE", "POSITION", "KEY", "GATEWAY");

    private final CommandTree tree = Commands.tree(new Services());
    private final Set<String> gaps = new TreeSet<>();
    private int checked;

    @Test
    void everyValueIsCompletedOrFree() {
        walk(tree.spec());
        assertThat(checked).as("values of the whole tree").isGreaterThan(300);
        assertThat(gaps).as("without a completion: give it a source in Commands.names, or declare its candidates")
                .isEmpty();
    }

    private void walk(CommandSpec spec) {
        var all = new ArrayList<ArgSpec>(spec.options());
        all.addAll(spec.positionalParameters());
        for (ArgSpec argument : all) {
            boolean inherited = argument.inherited() && spec.parent() != null;
            boolean flag = argument instanceof OptionSpec option && option.arity().max() == 0;
            if (!argument.hidden() && !inherited && !flag && !spec.usageMessage().hidden()) {
                checked++;
                check(spec, argument);
            }
        }
        new LinkedHashSet<>(spec.subcommands().values()).forEach(sub -> walk(sub.getCommandSpec()));
    }

    private void check(CommandSpec spec, ArgSpec argument) {
        String name = argument instanceof OptionSpec option ? option.longestName() : "#";
        if (!FREE.contains(argument.paramLabel()) && !SpecCompleter.completes(argument, tree.names())) {
            gaps.add("%s: %s %s".formatted(argument.paramLabel(), spec.qualifiedName(), name));
        }
    }
}
