package volsh.command.complete;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import volsh.command.TestHost;
import volsh.command.complete.Candidate.Kind;
import volsh.command.failure.ExitCode;
import volsh.command.run.SampleCommands;
import volsh.command.run.Words;

final class SpecCompleterTest {
    private final CompletionSources sources = new CompletionSources(Duration.ofSeconds(60))
            .with("VOLUME", prefix -> List.of(Candidate.name("train", "14GiB"), Candidate.name("eval", "1GiB")))
            .with("PATH", prefix -> List.of(Candidate.name("train:", ""), Candidate.name("train:/shards/", "dir")))
            .with("STORE", prefix -> {
                throw new IllegalStateException("the store is down");
            });
    private final SpecCompleter completer = new SpecCompleter(SampleCommands.tree().spec(), sources);

    /** Completes the last word of a line; a blank at its end begins a new one. */
    private Completion complete(String line) {
        List<String> words = new java.util.ArrayList<>(Words.of(line));
        String typed = line.isEmpty() || line.endsWith(" ") ? "" : words.removeLast();
        return completer.complete(words, typed);
    }

    private List<String> words(String line) {
        return complete(line).candidates().stream().map(Candidate::word).toList();
    }

    @Test
    void commandsWithTheirDescriptions() {
        assertThat(words(""))
                .containsExactly("volume", "snapshot", "copy", "count", "run", "help", "man", "completion", "version");
        assertThat(complete("vol").candidates()).containsExactly(new Candidate("volume", "Volumes.", Kind.COMMAND));
        assertThat(words("volume ")).containsExactly("create", "list", "destroy", "fail");
        assertThat(words("vol de")).containsExactly("destroy");
        assertThat(words("-o json volume l")).containsExactly("list");
        assertThat(words("nonsense ")).isEmpty();
        assertThat(words("volume list ")).isEmpty();
    }

    @Test
    void optionsOfTheCommandFirstAndUsedOnesNoMore() {
        assertThat(words("volume create --"))
                .startsWith("--block-size", "--compression", "--store", "--label", "--output")
                .contains("--help").doesNotContain("--blockSize");
        assertThat(words("volume create --block-size 4M -c lz4 --label none --"))
                .startsWith("--store", "--label", "--output");
        assertThat(words("volume create -o json --")).doesNotContain("--output");
        assertThat(words("volume create -")).contains("--block-size");
        assertThat(words("volume create -c")).containsExactly("-c");
        assertThat(words("volume create -- --")).isEmpty();
        assertThat(words("--col")).containsExactly("--columns", "--color");
    }

    @Test
    void optionsAreOfferedAfterArguments() {
        assertThat(words("volume destroy train --p")).containsExactly("--purge", "--progress");
    }

    @Test
    void valuesOfOptions() {
        assertThat(complete("volume create --compression ").candidates()).extracting(Candidate::word, Candidate::kind)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("none", Kind.OPTION_VALUE),
                        org.assertj.core.groups.Tuple.tuple("lz4", Kind.OPTION_VALUE),
                        org.assertj.core.groups.Tuple.tuple("zstd-fast", Kind.OPTION_VALUE));
        assertThat(words("volume create --compression=z")).containsExactly("--compression=zstd-fast");
        assertThat(words("volume create -qc l")).containsExactly("lz4");
        assertThat(words("volume create --label none,l")).containsExactly("none,lz4");
        assertThat(words("volume list -o js")).containsExactly("json", "jsonl");
        assertThat(words("--color a")).containsExactly("auto", "always");
    }

    @Test
    void liveNamesByLabel() {
        assertThat(complete("volume destroy ").candidates())
                .containsExactly(new Candidate("train", "14GiB", Kind.POSITIONAL),
                new Candidate("eval", "1GiB", Kind.POSITIONAL));
        assertThat(words("volume destroy tr")).containsExactly("train");
        assertThat(words("volume destroy train ")).isEmpty();
        assertThat(words("copy a.bin train:/s")).containsExactly("train:/shards/");
    }

    @Test
    void localFilesAreTheShells() {
        assertThat(complete("copy ")).isEqualTo(Completion.LOCAL_FILES);
        assertThat(complete("copy --log ")).isEqualTo(Completion.LOCAL_FILES);
        assertThat(complete("copy --log=/tm").localFiles()).isTrue();
        assertThat(complete("copy a ").localFiles()).isFalse();
    }

    @Test
    void aSourceThatFailsOrHangsGivesNothing() {
        assertThat(words("volume create --store ")).isEmpty();
        var hanging = new CompletionSources().with("SIZE", prefix -> {
            new CountDownLatch(1).await(); // a source that never answers
            return List.of();
        });
        assertThat(new SpecCompleter(SampleCommands.tree().spec(),
                hanging).complete(List.of("volume", "create", "--block-size"), "")
                .candidates()).isEmpty();
    }

    @Test
    void nothingIsRun() {
        var host = new TestHost(); // lends no service: a command that ran would fail
        assertThat(host.run(SampleCommands.tree(), "__complete", "--shell", "bash", "--", "volume", "destroy", ""))
                .isEqualTo(ExitCode.OK);
        assertThat(host.out()).isEqualTo("train\t14GiB\neval\t1GiB\n");
        assertThat(host.err()).isEmpty();
    }

    @Test
    void theHiddenCommandAsksForLocalFiles() {
        var host = new TestHost();
        assertThat(host.run(SampleCommands.tree(), "__complete", "--shell", "zsh", "--", "copy", ""))
                .isEqualTo(ExitCode.OK);
        assertThat(host.out()).isEqualTo(":files\n");
        assertThat(host.run(SampleCommands.tree(), "__complete", "--shell", "zsh", "--", "--no-h"))
                .isEqualTo(ExitCode.OK);
        assertThat(host.out()).contains("--no-headers\tOmit headings and keys.\n");
    }
}
