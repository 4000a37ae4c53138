package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import volsh.catalog.Home;
import volsh.command.Services;
import volsh.command.complete.Candidate;
import volsh.command.complete.SpecCompleter;
import volsh.volume.Volumes;

/** Values that TAB offers are values that the option takes. */
final class UsualValuesTest {
    @TempDir
    Path directory;

    private final TreeSet<String> refused = new TreeSet<>();
    private int tried;

    @Test
    void everyUsualValueIsUnderstood() {
        walk(Commands.tree(new Services()).spec());
        assertThat(tried).isGreaterThan(500);
        assertThat(refused).isEmpty();
    }

    private void walk(CommandSpec spec) {
        for (OptionSpec option : spec.options()) {
            var usual = UsualValues.values();
            List<String> values = usual.getOrDefault(option.longestName(),
                    usual.getOrDefault(option.paramLabel(), List.of()));
            for (String value : option.inherited() || option.hidden() ? List.<String>of() : values) {
                tried++;
                understand(spec, option.longestName() + "=" + value);
            }
        }
        new TreeSet<>(spec.subcommands().keySet()).forEach(name -> walk(spec.subcommands().get(name).getCommandSpec()));
    }

    private void understand(CommandSpec spec, String word) {
        try {
            var words = new ArrayList<>(List.of(spec.qualifiedName().split(" ")));
            words.removeFirst();
            words.add(word);
            spec.root().commandLine().parseArgs(words.toArray(String[]::new));
        } catch (ParameterException wrong) {
            boolean open = word.endsWith("/");   // more is to be typed behind the scheme of a URL
            if (wrong.getMessage().startsWith("Invalid value") && !open) {
                refused.add(spec.qualifiedName() + " " + word + ": " + wrong.getMessage());
            }
        }
    }

    private static SpecCompleter completer(Scratch scratch) {
        var services = new Services().with(Home.class, scratch::homes).with(Volumes.class, scratch::volumes);
        var tree = Commands.tree(services, Duration.ofSeconds(60));
        return SpecCompleter.atPrompt(tree.spec(), tree.names(), Optional.empty());
    }

    private static List<String> values(SpecCompleter completer, String line) {
        var words = new ArrayList<>(List.of(line.split(" ", -1)));
        String typed = words.removeLast();
        return completer.complete(words, typed).candidates().stream().map(Candidate::word).toList();
    }

    @Test
    void valuesOfALine() {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create td --label tier=gold -q");
        scratch.ok("store add fast file://%s --pool nvme -q".formatted(directory.resolve("fast")));
        scratch.ok("mkdir td:/ds");
        scratch.ok("snapshot create td@v1 -q");
        SpecCompleter completer = completer(scratch);
        assertThat(values(completer, "volume create x --block-size ")).contains("1MiB", "4MiB");
        assertThat(values(completer, "volume create x --block-size=4")).containsExactly("--block-size=4MiB");
        assertThat(values(completer, "quota set td 25")).containsExactly("25KiB", "25MiB", "25GiB", "25TiB");
        assertThat(values(completer, "volume create x --pool ")).containsExactly("nvme");
        assertThat(values(completer, "volume create x --label t")).containsExactly("tier=gold");
        assertThat(values(completer, "volume set td ")).contains("compression=", "gc=", "retention=", "label.tier=");
        assertThat(values(completer, "volume set td gc=")).containsExactly("gc=auto", "gc=manual");
        assertThat(values(completer, "volume set td compression=z")).containsExactly("compression=zstd:3");
        assertThat(values(completer, "ls td:/ --at ")).startsWith("@v1").contains("-1h");
        assertThat(values(completer, "volume check td --path /d")).containsExactly("/ds/");
        assertThat(values(completer, "snapshot show td@")).containsExactly("td@v1");
        assertThat(values(completer, "volume create x --store f")).containsExactly("fast");
        assertThat(values(completer, "volume create x --profile ")).isNotEmpty();
    }
}
