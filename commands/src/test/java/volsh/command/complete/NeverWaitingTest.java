package volsh.command.complete;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.TestHost;
import volsh.command.failure.ExitCode;
import volsh.command.run.SampleCommands;
import volsh.command.tree.Commands;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;
import volsh.volume.Volumes;

/** TAB answers with thousands of names, and while a store says nothing. Times are printed and not judged. */
@Timeout(300)
final class NeverWaitingTest {
    private static final int MANY = 5_000;

    @TempDir
    Path directory;

    private static final CommandSpec TREE = SampleCommands.tree().spec();

    private static List<Candidate> complete(CompletionSources sources, String typed) {
        long start = System.nanoTime();
        var found = SpecCompleter.atPrompt(TREE, sources, Optional.empty())
                .complete(List.of("volume", "destroy"), typed).candidates();
        System.out.printf("completed '%s' in %d ms: %d candidates%n", typed, (System.nanoTime() - start) / 1_000_000,
                found.size());
        return found;
    }

    /** A store that hangs until the test lets it go: whoever asks gets the last answer, or none, before that. */
    @Test
    void aStoreThatHangsIsNotWaitedFor() throws Exception {
        var dead = new CountDownLatch(1);
        var asked = new AtomicInteger();
        var hanging = new CountDownLatch(1);
        var sources = new CompletionSources().with("VOLUME", _ -> {
            if (asked.incrementAndGet() == 1) {
                return List.of(Candidate.name("train", ""));
            }
            hanging.countDown();
            dead.await();
            return List.of(Candidate.name("new", ""));
        });
        Eventually.holds("there is an answer", () -> {
            assertThat(asked).as("answered or on its way").hasValueLessThan(2);
            return !complete(sources, "").isEmpty();
        });
        Eventually.holds("that answer is no longer fresh, and the store is asked again", () -> {
            assertThat(complete(sources, "")).extracting(Candidate::word).containsExactly("train");
            return hanging.getCount() == 0;
        });
        for (int i = 0; i < 20; i++) {
            assertThat(complete(sources, "")).as("the last answer, while the new one does not come")
                    .extracting(Candidate::word)
                    .containsExactly("train");
        }
        assertThat(asked).as("asked again once, however often TAB is pressed").hasValue(2);
        dead.countDown();
        Eventually.value("the new answer is there", () -> complete(sources, "").getFirst().word(), "new"::equals);
    }

    /** However many places hang, only so many threads wait there. */
    @Test
    void hangingQuestionsAreBounded() {
        var dead = new CountDownLatch(1);
        var asked = new AtomicInteger();
        CompletionSource paths = new CompletionSource() {
            @Override
            public List<Candidate> candidates(String prefix) throws Exception {
                asked.incrementAndGet();
                dead.await();
                return List.of();
            }

            @Override
            public String scope(String prefix) {
                return prefix;
            }
        };
        var sources = new CompletionSources(Duration.ZERO);
        IntStream.range(0, 100).forEach(i -> assertThat(sources.ask(paths, "dead:/" + i)).isEmpty());
        assertThat(asked).hasValueBetween(0, 16);
        dead.countDown();
    }

    /** The same in a process that runs once: the shell gets what is known without the store. */
    @Test
    void aDeadStoreDoesNotHoldTheOtherShellsUp() {
        var dead = new CountDownLatch(1);
        var host = new TestHost();
        host.services().with(Volumes.class, () -> {
            dead.await();
            throw new IllegalStateException("gone");
        });
        var tree = Commands.tree(host.services());
        long start = System.nanoTime();
        assertThat(host.run(tree, "__complete", "--shell", "zsh", "--", "volume", "show", "")).isEqualTo(ExitCode.OK);
        // on a busy machine, any answer may come too late
        for (int tries = 0; tries < 50 && !host.out().contains("lz4"); tries++) {
            assertThat(host.run(tree, "__complete", "--shell", "zsh", "--", "volume", "create", "x", "--compression",
                    "")).isEqualTo(ExitCode.OK);
        }
        System.out.printf("two answers beside a dead store in %d ms%n", (System.nanoTime() - start) / 1_000_000);
        assertThat(host.out()).contains("lz4\t");
        assertThat(dead.getCount()).as("it hung all the time").isEqualTo(1);
        dead.countDown();
    }

    @Test
    void fiveThousandVolumes() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        assertThat(scratch.run("volume create imagenet").status()).isZero();
        Path catalog = scratch.home().resolve("state/catalog/volumes");
        String entry = Files.readString(catalog.resolve("imagenet.json"));
        for (int i = 0; i < MANY; i++) {
            String name = "volume-%04d".formatted(i);
            Files.writeString(catalog.resolve(name + ".json"), entry.replace("imagenet", name));
        }
        var host = new TestHost();
        host.services().with(Volumes.class, scratch::volumes);
        // which opens no volume
        var tree = Commands.tree(host.services(), CompletionSources.PROMPT_PATIENCE.plusMillis(1));
        var completer = SpecCompleter.atPrompt(tree.spec(), tree.names(), Optional.empty());
        tree.names().refresh();
        assertThat(Eventually.value("all are found", () -> timed(completer, "").size(), found -> found > MANY))
                .isEqualTo(MANY + 1);
        assertThat(timed(completer, "volume-")).hasSize(MANY);
        assertThat(timed(completer, "4999")).extracting(Candidate::word).containsExactly("volume-4999");
        assertThat(timed(completer, "inet")).extracting(Candidate::word).containsExactly("imagenet");
        assertThat(timed(completer, "v4999")).extracting(Candidate::word).startsWith("volume-4999");
    }

    private static List<Candidate> timed(SpecCompleter completer, String typed) {
        long start = System.nanoTime();
        var found = completer.complete(List.of("volume", "show"), typed).candidates();
        System.out.printf("of %d volumes '%s' found %d in %d ms%n", MANY, typed, found.size(),
                (System.nanoTime() - start) / 1_000_000);
        return found;
    }
}
