package volsh.command.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.command.Cancellation;
import volsh.command.GlobalOptions;
import volsh.command.Session;
import volsh.command.TestHost;
import volsh.command.failure.ExitCode;

final class CommandRunnerTest {
    private final CommandTree tree = SampleCommands.tree();
    private final SampleCommands.Shelf shelf = new SampleCommands.Shelf();
    private final TestHost host = new TestHost();

    private ExitCode run(String... words) {
        host.services().with(SampleCommands.Shelf.class, () -> shelf);
        return host.run(tree, words);
    }

    @Test
    void dataGoesToOutAndMessagesToErr() {
        assertThat(run("volume", "create", "x", "--block-size", "8MiB", "-c", "zstd-fast")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).isEqualTo("name   x\nblock  8MiB\n");
        assertThat(host.err()).isEqualTo("created volume x (8MiB, zstd-fast)\n");
        assertThat(shelf.names).contains("x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-o json -q volume create x", "volume -o json create x -q",
            "volume create x --output=json --quiet",
        "vol create x -qo json", "volume create --blockSize 4MiB x -q -ojson"})
    void globalOptionsStandAnywhere(String line) {
        assertThat(run(line.split(" "))).isEqualTo(ExitCode.OK);
        assertThat(host.out()).isEqualTo("{\n  \"name\": \"x\",\n  \"blockBytes\": 4194304\n}\n");
        assertThat(host.err()).isEmpty();
    }

    @Test
    void sortMayBeginWithADash() {
        assertThat(run("volume", "list", "--sort", "-name", "--no-headers", "--columns", "name,block"))
                .isEqualTo(ExitCode.OK);
        assertThat(host.out()).isEqualTo("train  4KiB\neval   4KiB\n");
    }

    @Test
    void aDryRunPrintsThePlanAndChangesNothing() {
        assertThat(run("volume", "create", "x", "-n")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).isEqualTo("would create volume 'x' (4MiB blocks)\n");
        assertThat(shelf.names).containsExactly("train", "eval");
    }

    @Test
    void aDryRunCanTellByItsExitCode() {
        assertThat(run("volume", "create", "x", "-n", "--exit-code", "-o", "jsonl")).isEqualTo(ExitCode.PENDING);
        assertThat(host.out())
                .isEqualTo("{\"action\": \"create\", \"target\": \"volume 'x'\", \"detail\": \"4MiB blocks\"}\n");
        assertThat(run("volume", "create", "train", "--dry-run", "--exit-code")).isEqualTo(ExitCode.OK);
        assertThat(host.err()).isEqualTo("nothing to do\n");
        assertThat(run("volume", "create", "y", "--exit-code")).isEqualTo(ExitCode.USAGE);
        assertThat(shelf.names).containsExactly("train", "eval");
    }

    @Test
    void aDryRunNeedsNoConfirmation() {
        assertThat(run("volume", "destroy", "train", "--purge", "-n")).isEqualTo(ExitCode.OK);
        assertThat(shelf.names).contains("train");
    }

    @Test
    void whereNobodyAnswersTheOptionIsNamed() {
        assertThat(run("volume", "destroy", "train")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err()).isEqualTo("""
                error: not confirmed: destroy volume 'train'? [CLI-0003]
                hint: add -y
                exit 2 (usage)
                """);
        assertThat(shelf.names).contains("train");
    }

    @Test
    void yesAnswersAQuestion() {
        assertThat(run("volume", "destroy", "train", "-y")).isEqualTo(ExitCode.OK);
        assertThat(shelf.names).containsExactly("eval");
    }

    @Test
    void severeActionsNeedTheName() {
        assertThat(run("volume", "destroy", "train", "--purge", "-y")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err()).contains("hint: add --confirm train\n");
        assertThat(run("volume", "destroy", "train", "--purge", "--confirm", "eval")).isEqualTo(ExitCode.USAGE);
        assertThat(shelf.names).contains("train");
        assertThat(run("volume", "destroy", "train", "--purge", "--confirm", "train")).isEqualTo(ExitCode.OK);
        assertThat(shelf.names).containsExactly("eval");
    }

    @Test
    void aPersonIsAskedWithThePlanBeforeTheirEyes() {
        host.terminal(80).with("NO_COLOR", "1").typing("y\n");
        assertThat(run("volume", "destroy", "train")).isEqualTo(ExitCode.OK);
        assertThat(host.err()).isEqualTo("destroy volume 'train'\ndestroy volume 'train'? [y/N] ");
        assertThat(shelf.names).containsExactly("eval");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "n\n", "\n", "yep\n"})
    void anythingButYesIsNo(String answer) {
        host.terminal(80).typing(answer);
        assertThat(run("volume", "destroy", "train")).isEqualTo(ExitCode.FAILED);
        assertThat(shelf.names).contains("train");
    }

    @Test
    void theNameIsTyped() {
        host.terminal(80).typing("train\n");
        assertThat(run("volume", "destroy", "train", "--purge")).isEqualTo(ExitCode.OK);
        assertThat(shelf.names).containsExactly("eval");
    }

    @Test
    void noInputNeverAsks() {
        host.terminal(80).typing("y\n");
        assertThat(run("volume", "destroy", "train", "--no-input")).isEqualTo(ExitCode.USAGE);
        assertThat(shelf.names).contains("train");
    }

    @Test
    void failuresAreExplained() {
        assertThat(run("volume", "destroy", "nope", "-y")).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(host.err())
                .isEqualTo("error: no volume 'nope' [VOL-0404]\nhint: volsh volume list\nexit 3 (not-found)\n");
        assertThat(host.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"volume destroy nope -y -o json", "-o jsonl volume crate x", "volume create -o json",
            "volume fail --output json",
        "volume create x --block-size lots -o=json", "-o json", "volume create x --bogus -ojson"})
    void errorsAreJsonWhenTheOutputIs(String line) throws IOException {
        ExitCode exit = run(line.split(" "));
        assertThat(exit).isNotEqualTo(ExitCode.OK);
        assertThat(host.out()).isEmpty();
        assertThat(host.err()).hasLineCount(1).startsWith("{\"error\":{\"code\":\"")
                .contains("\"exit\":" + exit.status() + ",");
        try (var parser = new JsonFactory().createParser(host.err())) {
            int tokens = 0;
            while (parser.nextToken() != null) {
                tokens++;
            }
            assertThat(tokens).isGreaterThan(10);
        }
    }

    @Test
    void wrongValuesSayWhatToTry() {
        assertThat(run("volume", "create", "x", "--block-size", "lots")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err())
                .startsWith("error: Invalid value for option '--block-size': "
                        + "not a size: 'lots' (try 4MiB) [CLI-0002]\n");
        assertThat(shelf.names).containsExactly("train", "eval");
    }

    @Test
    void wrongChoicesListTheRightOnes() {
        assertThat(run("volume", "create", "x", "-c", "gzip")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err())
                .contains("Invalid value for option '--compression': 'gzip' is not one of none, lz4, zstd-fast");
        assertThat(run("volume", "list", "-o", "xml")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err()).contains("'xml' is not an output format (try table, wide, json");
    }

    @Test
    void verbAndNounMayBeSwapped() {
        assertThat(run("destory", "volume", "ckpt 88")).isEqualTo(ExitCode.UNKNOWN_COMMAND);
        assertThat(host.err()).isEqualTo("""
                error: unknown command 'destory' [CLI-0127]
                  destory volume 'ckpt 88'
                  ^^^^^^^
                hint: did you mean: volsh volume destroy 'ckpt 88'
                hint: volsh --help
                exit 127 (unknown-command)
                """);
    }

    @Test
    void aVerbWithoutItsNounIsFound() {
        assertThat(run("destroy", "x")).isEqualTo(ExitCode.UNKNOWN_COMMAND);
        assertThat(host.err())
                .contains("hint: did you mean: volsh volume destroy x\nhint: did you mean: volsh snapshot destroy x\n");
    }

    @Test
    void aMistypedVerbIsFoundAndPointedAt() {
        assertThat(run("-q", "volume", "crate", "list")).isEqualTo(ExitCode.UNKNOWN_COMMAND);
        assertThat(host.err())
                .contains("  -q volume crate list\n            ^^^^^\n", "did you mean: volsh volume create list\n");
    }

    @Test
    void unknownOptionsAreCorrected() {
        assertThat(run("volume", "create", "x", "--blok-size=3")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err())
                .contains("unknown option '--blok-size' of volsh volume create", "did you mean --block-size ?");
        assertThat(run("--colour", "never", "volume", "list")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err()).contains("unknown option '--colour' of volsh ", "did you mean --color ?");
        assertThat(run("volume", "list", "extra")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err()).contains("unexpected argument 'extra'", "usage: volsh volume list [OPTION...]");
    }

    @Test
    void anAtSignIsNotAFile() {
        assertThat(run("copy", "@a", "vol@snap", "-q")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).isEqualTo("@a>vol@snap\n");
    }

    @Test
    void aNounAloneListsItsVerbs() {
        assertThat(run("volume")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err())
                .contains("missing command of volsh volume", "create        Create a volume.",
                        "list (ls)     List volumes.");
    }

    @Test
    void outcomesCarryAnExitCodeWithTheData() {
        assertThat(run("volume", "fail", "--partial")).isEqualTo(ExitCode.PARTIAL);
        assertThat(host.out()).isEqualTo("half\n");
        assertThat(host.err()).isEmpty();
    }

    @Test
    void theStackIsOnlyForDebug() {
        assertThat(run("volume", "fail")).isEqualTo(ExitCode.FAILED);
        assertThat(host.err()).contains("error: internal error: journal closed [CLI-0070]")
                .doesNotContain("IllegalState", "at volsh");
        assertThat(run("volume", "fail", "--debug")).isEqualTo(ExitCode.FAILED);
        assertThat(host.err()).contains("IllegalStateException", "at volsh.command.run.SampleCommands");
    }

    @Test
    void rowsBeforeAFailureArePrinted() {
        assertThat(run("count", "5000", "-o", "name")).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(host.out()).hasLineCount(4000).endsWith("3999\n");
        assertThat(host.err()).contains("row 4000: no such file or directory");
    }

    @Test
    void anUnknownColumnIsAUsageError() {
        assertThat(run("volume", "list", "--columns", "nmae")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err()).contains("no column 'nmae' here (did you mean name?)");
    }

    @Test
    void anUnknownColumnIsRefusedBeforeAnythingChanges() {
        assertThat(run("volume", "create", "a", "-o", "value:nmae")).isEqualTo(ExitCode.USAGE);
        assertThat(host.err()).contains("no column 'nmae' here (did you mean name?)").doesNotContain("created");
    }

    @Test
    void helpBeginsWithExamples() {
        assertThat(run("volume", "create", "--help")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).startsWith("""
                Create a volume.

                Examples:
                  volsh volume create imagenet --block-size 8MiB

                Usage:
                  volsh volume create [OPTION...] NAME

                Arguments:
                  NAME                    Its name.

                Options:
                  --block-size SIZE       A power of two (default: 4MiB).
                  -c, --compression CODEC
                                          none, lz4 or zstd-fast.
                """).doesNotContain("blockSize");
    }

    @Test
    void helpFitsTheTerminal() {
        for (int width : new int[] {0, 1, 50, 80, 200}) {
            var narrow = new TestHost().terminal(width).with("NO_COLOR", "1");
            assertThat(narrow.run(tree, "--help")).isEqualTo(ExitCode.OK);
            int limit = width == 0 ? 80 : Math.max(width, 40);
            assertThat(narrow.out().lines().filter(line -> !line.startsWith("  volsh"))).allSatisfy(line ->
                    assertThat(line.length()).as(line).isLessThanOrEqualTo(limit));
        }
    }

    @Test
    void groupsShowTheirCommands() {
        assertThat(run("volume", "-h")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).contains("Also known as:\n  vol\n", "  list (ls)               List volumes.\n",
                "Examples:\n  volsh volume create imagenet --block-size 8MiB\n  volsh volume list\n");
        assertThat(run("help", "volume", "list")).isEqualTo(ExitCode.OK);
        assertThat(host.out()).contains("List volumes.");
        assertThat(run("help", "volume", "lits")).isEqualTo(ExitCode.UNKNOWN_COMMAND);
        assertThat(host.err()).contains("did you mean: volsh volume list");
    }

    @Test
    void valuesComeWithoutPrintingForThePromptAndScripts() throws Exception {
        host.services().with(SampleCommands.Shelf.class, () -> shelf);
        Call call = Call.parse(tree, List.of("volume", "create", "x"));
        var session = new Session(host.host(), call.options(), new Cancellation());
        var outcome = new CommandRunner(tree, host.host()).perform(call, session);
        assertThat(outcome.value()).isEqualTo(new SampleCommands.Volume("x", new volsh.unit.ByteSize(4 << 20)));
        assertThat(host.out()).isEmpty();
        assertThat(GlobalOptions.of("-nyq", "--color", "never").dryRun()).isTrue();
    }

    @Test
    void verboseTellsHowLongItTook() {
        assertThat(run("volume", "list", "-v")).isEqualTo(ExitCode.OK);
        assertThat(host.err()).isEqualTo("took 0 ms\n");
    }

    @Test
    void wordsAreSplitLikeInAShell() {
        assertThat(Words.of("volsh put 'a b' \"c \\\" d\" e\\ f '' # "))
                .containsExactly("put", "a b", "c \" d", "e f", "", "#");
        assertThat(volsh.fs.ShellWord.of("it's")).isEqualTo("'it'\\''s'");
    }
}
