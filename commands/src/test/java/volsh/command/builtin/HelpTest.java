package volsh.command.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.PlainEnglish;
import volsh.command.Services;
import volsh.command.TestHost;
import volsh.command.failure.ExitCode;
import volsh.command.line.LineKind;
import volsh.command.line.LineRule;
import volsh.command.line.Program;
import volsh.command.line.Shorthand;
import volsh.command.line.Statement;
import volsh.command.man.HelpPage;
import volsh.command.man.Manual;
import volsh.command.man.Topic;
import volsh.command.run.Call;
import volsh.command.run.CommandTree;
import volsh.command.run.Words;
import volsh.command.tree.Commands;

final class HelpTest {
    private static final CommandTree TREE = Commands.tree(new Services());

    private static String help(String... words) {
        var host = new TestHost();
        var all = new ArrayList<>(List.of("help"));
        all.addAll(List.of(words));
        assertThat(host.run(TREE, all.toArray(String[]::new))).as(host.err()).isEqualTo(ExitCode.OK);
        return host.out();
    }

    static List<Topic> topics() {
        return Topic.all();
    }

    /** Words of lines that are no commands. */
    private static final Set<String> DIRECTORY = Set.of("use", "cd", "pwd");

    /**
     * What a page shows can be typed: command lines are understood, and lines of the prompt are what they look like.
     */
    @ParameterizedTest
    @MethodSource("topics")
    void everyTopicHasAPageWhoseLinesAreTrue(Topic topic) {
        assertThat(topic.text().lines().count()).as(topic.name()).isGreaterThan(5);
        assertThat(help(topic.name()))
                .contains(topic.text().lines().findFirst().orElseThrow().split("[.:]")[0].substring(0, 20));
        var commands = new HashSet<>(TREE.spec().subcommands().keySet());
        commands.addAll(DIRECTORY);
        var rule = new LineRule(commands::contains,
                name -> Program.WORDS.contains(name) || Set.of("big").contains(name));
        for (String line : topic.text().lines().map(String::strip).toList()) {
            if (line.startsWith("volsh> ")) {
                typed(line.substring(7), rule);
            } else if (line.startsWith("$ ")) {
                String command = line.substring(line.indexOf("volsh ")).replaceFirst(" \\|\\| .*", "");
                Call.parse(TREE, Shorthand.expand(Words.of(command)));
            }
        }
    }

    private static void typed(String line, LineRule rule) {
        switch (rule.classify(line)) {
            case LineKind.Command(String text) -> {
                Statement first = Statement.parse(text).getFirst();
                boolean builtin = DIRECTORY.contains(text.split(" ")[0]);
                if (!line.contains("${") && !builtin) {
                    Call.parse(TREE,
                            Words.of(text.substring(0, text.indexOf(" | ") < 0 ? text.length() : text.indexOf(" | "))));
                }
                assertThat(first.stages()).isNotEmpty();
            }
            case LineKind.Unknown(String word) -> throw new AssertionError("no such command: " + word);
            default -> { }
        }
    }

    @Test
    void theOverviewNamesTheTopics() {
        assertThat(help()).contains("Topics (volsh help TOPIC)", "exit-codes", "tour");
        assertThat(help("exit-codes")).contains("124  timeout", "retry only 6 and");
        assertThat(help("where")).startsWith("Rows go through pipes");
    }

    @Test
    void aNameThatIsACommandAndATopicShowsBoth() {
        assertThat(help("durability")).contains("volsh durability [OPTION...]",
                "committed   the metadata is in the store");
    }

    @Test
    void wordsAreSearchedInCommandsOptionsAndTopics() {
        var host = new TestHost();
        assertThat(host.run(TREE, "help", "-s", "block-size", "-o", "csv")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).startsWith("name,kind,summary,see\n")
                .contains("volume create --block-size", ",option,", "volsh help volume create");
        assertThat(help("--search", "dry-run", "-o", "name")).contains("safety");
        assertThat(help("--search", "RETRY", "-o", "name")).contains("exit-codes");
        assertThat(help("--search", "destroy", "-o", "name")).startsWith("volume destroy\n");
        var none = new TestHost();
        assertThat(none.run(TREE, "help", "-s", "qqqq")).isEqualTo(ExitCode.NOT_FOUND);
    }

    @Test
    void aTopicThatIsMistypedIsGuessed() {
        var host = new TestHost();
        assertThat(host.run(TREE, "help", "untis")).isEqualTo(ExitCode.UNKNOWN_COMMAND);
        assertThat(host.err()).contains("no such command or topic: 'untis'", "did you mean: volsh help units",
                "volsh help --search untis");
        assertThat(host.run(TREE, "help", "volume", "crate")).isEqualTo(ExitCode.UNKNOWN_COMMAND);
        assertThat(host.err()).contains("did you mean: volsh volume create");
    }

    @Test
    void topicsAreManualPagesToo() {
        var host = new TestHost();
        assertThat(host.run(TREE, "man", "units")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).startsWith(".TH \"VOLSH\\-UNITS\" 7").contains(".SH \"Times\"");
    }

    private static void collect(CommandSpec command, List<CommandSpec> found) {
        found.add(command);
        Manual.visible(command).forEach(sub -> collect(sub, found));
    }

    /**
     * Every command has an example, its options and parameters are described by sentences with their defaults, and its
     * page is plain English.
     */
    @Test
    void everyPageIsComplete() {
        var commands = new ArrayList<CommandSpec>();
        collect(TREE.spec(), commands);
        assertThat(commands).as("the tree was walked").hasSizeGreaterThan(150);
        var faults = new ArrayList<String>();
        for (var command : commands) {
            faults.addAll(faults(Manual.of(command)));
            command.options().stream().filter(option ->
                    !option.hidden() && option.defaultValue() != null && !option.defaultValue().isEmpty())
                    .filter(option -> !String.join(" ", option.description()).contains("default"))
                    .forEach(option ->
                            faults.add("%s: no default: %s".formatted(command.qualifiedName(), option.longestName())));
        }
        Topic.all().forEach(topic -> PlainEnglish.dialect(topic.text() + " " + topic.summary())
                .forEach(word -> faults.add("topic %s: dialect: %s".formatted(topic.name(), word))));
        assertThat(faults).isEmpty();
    }

    private static List<String> faults(Manual manual) {
        var faults = new ArrayList<String>();
        if (manual.examples().isEmpty()) {
            faults.add("no example");
        }
        if (!PlainEnglish.isDescription(manual.summary())) {
            faults.add("not a sentence: " + manual.summary());
        }
        Stream.of(manual.parameters(), manual.options(), manual.globals()).flatMap(List::stream)
                .filter(entry -> !PlainEnglish.isDescription(entry.meaning()))
                .forEach(entry -> faults.add("%s is not described: %s".formatted(entry.term(), entry.meaning())));
        PlainEnglish.dialect(HelpPage.of(manual, 1_000, false)).forEach(word -> faults.add("dialect: " + word));
        return faults.stream().map(fault -> manual.command() + ": " + fault).toList();
    }

    @Test
    void faultsOfAPageAreFound() {
        var wrong = new Manual("volsh x", List.of(), List.of("say what there is"), List.of(), "volsh x", List.of(),
                List.of(new Manual.Entry("--n", "So many at most."), new Manual.Entry("--m", "Limit it")), List.of(),
                List.of());
        assertThat(faults(wrong)).containsExactly("volsh x: no example", "volsh x: not a sentence: say what there is",
                "volsh x: --n is not described: So many at most.", "volsh x: --m is not described: Limit it",
                "volsh x: dialect: what there is", "volsh x: dialect: So many");
    }
}
