package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import volsh.catalog.HistorySpan;
import volsh.command.Services;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/** Numbers, sizes, rates and durations that make no sense are refused by the parser, before anything happens. */
final class NegativeNumbersTest {
    private static final Set<Class<?>> QUANTITIES = Set.of(int.class, Integer.class, long.class, Long.class,
            double.class, ByteSize.class, Rate.class, Span.class, Percent.class, HistorySpan.class);
    /** Where -1 means something, which the help says. */
    private static final Set<String> MEANT = Set.of("--retention");

    @TempDir
    Path directory;

    private record Asked(CommandSpec command, OptionSpec option) {
        String line() {
            return command.qualifiedName(" ").replaceFirst("^volsh ", "") + " " + option.longestName();
        }
    }

    private static void collect(CommandSpec command, List<Asked> found) {
        for (var option : command.options()) {
            boolean map = option.isMultiValue() && option.auxiliaryTypes().length > 1;
            if (!map && option.auxiliaryTypes().length > 0 && QUANTITIES.contains(option.auxiliaryTypes()[0])) {
                found.add(new Asked(command, option));
            }
        }
        command.subcommands().values().stream().distinct().forEach(sub -> collect(sub.getCommandSpec(), found));
    }

    /** Asks the parser alone, so that whatever it lets through is something that a command would see. */
    @Test
    void everyOptionRefusesThem() {
        var tree = Commands.tree(new Services()).spec();
        var found = new ArrayList<Asked>();
        collect(tree, found);
        assertThat(found).as("the tree was walked").hasSizeGreaterThan(100);
        var accepted = new ArrayList<String>();
        for (var asked : found) {
            if (MEANT.contains(asked.option().longestName())) {
                assertThat(String.join(" ", asked.option().description())).contains("-1");
            } else if (!isRefused(tree, asked)) {
                accepted.add(asked.line());
            }
        }
        assertThat(accepted).isEmpty();
    }

    private static boolean isRefused(CommandSpec tree, Asked asked) {
        try {
            tree.commandLine().parseArgs((asked.line() + " -1").split(" "));
            return false;
        } catch (ParameterException refused) {
            return refused.getMessage().contains("'-1'");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            quota set data 0                                | a quota must be more than 0           | volsh quota remove data
            quota set data:/dir 0                           | a quota must be more than 0           | volsh quota remove data:/dir
            quota set data --user 5 0                       | a quota must be more than 0           | volsh quota remove data --user
            quota set data --inodes 0                       | a quota must be more than 0           | volsh quota remove data
            volume create other --quota 0                   | --quota must be more than 0           | omit it
            volume create other --block-size 0              | block size must be                    | 64KiB to 16MiB
            put . data:/x --parallel 0                      | --parallel must be from 1             | 0
            cache warm data:/ --parallel 0                  | --parallel                            | 1
            checkpoint save data --run r --step 1 --from . --parallel 0 | --parallel must be from 1 | 0
            """)
    void zeroIsRefusedWhereItForbidsEverything(String line, String words, String hint) {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create data --block-size 64KiB");
        var before = scratch.files();
        var ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isEqualTo(2);
        assertThat(ended.err()).contains(words, hint);
        assertThat(scratch.files()).isEqualTo(before);
    }
}
