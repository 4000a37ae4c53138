package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.terminal.Size;
import org.jline.terminal.TerminalBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.Services;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSource;
import volsh.command.complete.CompletionSources;
import volsh.command.line.LineRule;
import volsh.command.tree.Commands;
import volsh.command.typing.Lexicon;
import volsh.hang.Eventually;

/** TAB while the names do not come: at the line editor itself, with a service that blocks until the test lets it go. */
@Timeout(300)
final class LateNamesTest {
    private static final CommandSpec TREE = Commands.tree(new Services()).spec();

    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CompletionSource volumes = _ -> {
        blocked.await();
        return List.of(Candidate.name("training-data", ""));
    };
    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
    private final PipedOutputStream keys = new PipedOutputStream();

    private void type(String text) throws Exception {
        keys.write(text.getBytes(StandardCharsets.UTF_8));
        keys.flush();
    }

    private void shows(String text) {
        Eventually.value("the terminal shows " + text, () -> screen.toString(StandardCharsets.UTF_8),
                shown -> shown.contains(text));
    }

    private static Lexicon lexicon(CompletionSources live, CompletableFuture<CommandSpec> tree) {
        var rule = new LineRule(name -> TREE.subcommands().containsKey(name), _ -> false);
        return new Lexicon(tree::join, live, rule, Map::of, Set::of, Optional::empty, _ -> Optional.empty());
    }

    /** Types while a line is read; the line that is read in the end. */
    private String read(CompletableFuture<CommandSpec> tree, Typing typing) throws Exception {
        var live = new CompletionSources().with("VOLUME", volumes);
        try (var terminal = TerminalBuilder.builder().system(false).type("xterm").encoding(StandardCharsets.UTF_8)
                .streams(new PipedInputStream(keys), screen).size(new Size(80, 24)).build()) {
            var aids = new PromptAids(lexicon(live, tree), tree, Map.of("LC_ALL", "C.UTF-8"), false, line -> line);
            LineReader reader = aids.install(aids.into(LineReaderBuilder.builder().terminal(terminal)).build());
            var line = new CompletableFuture<String>();
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    line.complete(reader.readLine("volsh> "));
                } catch (RuntimeException failed) {
                    line.completeExceptionally(failed);
                }
            });
            shows("volsh> ");
            typing.type();
            return Eventually.value("the line is read", () -> line.getNow(""), read -> !read.isEmpty());
        } finally {
            blocked.countDown();
        }
    }

    private interface Typing {
        void type() throws Exception;
    }

    /** One TAB is enough: it says that it waits, and completes when the names are there. */
    @Test
    void theFirstTabCompletesWhenTheNamesArrive() throws Exception {
        var line = read(CompletableFuture.completedFuture(TREE), () -> {
            type("volume show tr\t");
            shows("loading…");
            blocked.countDown();
            shows("aining-data ");
            type("\r");
        });
        assertThat(line).isEqualTo("volume show training-data ");
    }

    /** Who goes on typing is not held up, and nothing is put in later. */
    @Test
    void keysGoOnWhileNamesAreLoaded() throws Exception {
        var line = read(CompletableFuture.completedFuture(TREE), () -> {
            type("volume show tr\t");
            shows("loading…");
            type("x");
            shows("x");
            type("\r");
        });
        assertThat(line).isEqualTo("volume show trx");
    }

    /** TAB so soon after the start that the commands are not known yet. */
    @Test
    void tabBeforeTheCommandsAreKnown() throws Exception {
        var tree = new CompletableFuture<CommandSpec>();
        var line = read(tree, () -> {
            type("volume sho\t");
            shows("loading…");
            tree.complete(TREE);
            shows("w ");
            type("x\r");
        });
        assertThat(line).isEqualTo("volume show x");
    }
}
