package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.Listing;
import volsh.command.Mutation;
import volsh.command.Services;
import volsh.command.Tabular;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSources;
import volsh.command.complete.SpecCompleter;

/** Rows of listings chosen by --where and -l. */
final class ListingsTest {
    /** Nouns whose list is no table of rows. */
    private static final Set<String> NO_ROWS = Set.of("context");

    private static Scratch program;

    @BeforeAll
    static void aHome(@TempDir Path directory) throws Exception {
        program = new Scratch(directory.resolve("home"));
        program.ok("store add lake file://" + directory + "/lake");
        program.ok("volume create alpha --block-size 1MiB --label tier=gold --label zone=a -q");
        program.ok("volume create beta --block-size 4MiB --label tier=silver --store lake -q");
        program.ok("volume create gamma --block-size 1MiB -q");
        program.fill("alpha", 3, 50_000);
        program.ok("snapshot create alpha@one --label first");
        program.ok("snapshot create alpha@two");
        program.ok("quota set alpha:/data 1GiB");
    }

    private static void collect(CommandSpec command, List<CommandSpec> found) {
        found.add(command);
        command.subcommands().values().stream().distinct().forEach(sub -> collect(sub.getCommandSpec(), found));
    }

    @Test
    void everyListingHasThem() {
        var all = new ArrayList<CommandSpec>();
        collect(Commands.tree(new Services()).spec(), all);
        int listings = 0;
        for (CommandSpec command : all) {
            boolean listing = command.userObject() instanceof Listing;
            listings += listing ? 1 : 0;
            String name = command.qualifiedName(" ");
            assertThat(command.findOption("--where") != null).as(name).isEqualTo(listing);
            if (command.name().equals("list") && !NO_ROWS.contains(command.parent().name())) {
                assertThat(listing).as(name + " lists rows").isTrue();
            }
            if (command.userObject() instanceof Listing rows) {
                assertThat(rows).as(name + " changes nothing").isNotInstanceOf(Mutation.class);
                assertThat(rows.labelled()).as(name).isEqualTo(rows.columns().titles().contains("labels"));
                assertThat(command.findOption("--label") != null).as(name).isEqualTo(rows.labelled());
            }
        }
        assertThat(listings).isGreaterThan(35);
        assertThat(all).anyMatch(command -> command.userObject() instanceof Tabular
                && !(command.userObject() instanceof Listing));
    }

    private static String names(String line) {
        return program.ok(line + " -o name").out().strip().replace('\n', ' ');
    }

    @Test
    void rowsAreChosen() {
        assertThat(names("volume list --where 'blockSize >= 4MiB'")).isEqualTo("beta");
        assertThat(names("volume list -w blockSize>=4MiB")).isEqualTo("beta");
        assertThat(names("volume list --where \"name in (alpha, gamma)\" --where 'used > 1kB'")).isEqualTo("alpha");
        assertThat(names("volume list --where 'used > 100kB and created > -1h'")).isEqualTo("alpha");
        assertThat(names("volume list --where 'quota is null'")).as("a column of show").isEqualTo("alpha beta gamma");
        assertThat(names("store list --where 'name != default'")).isEqualTo("lake");
        assertThat(names("snapshot list alpha --where 'label = first'")).isEqualTo("alpha@one");
        assertThat(names("ls alpha:/data --where 'size > 40kB and name like %1'")).endsWith("f1").doesNotContain("f0");
        assertThat(program.ok("ls alpha:/data --where 'name = f1'").out()).isEqualTo("f1\n");
        assertThat(program.ok("ls alpha:/data --where 'size > 1MiB'").out()).isEmpty();
        assertThat(program.ok("find alpha:/ --where 'type = file' -o csv").out().lines()).hasSize(4);
        assertThat(program.ok("quota list alpha --where 'path ends-with /data' -o csv").out().lines()).hasSize(2);
        assertThat(program.ok("df --where 'used > 1kB' -o name").out()).isEqualTo("alpha\n");
        var tree = Commands.tree(new Services()).spec();
        for (String line : List.of("job list", "mounts list", "events", "bench list", "bench baseline list",
                "checkpoint list alpha", "cache status", "status")) {
            CommandSpec command = tree;
            for (String word : line.replace(" alpha", "").split(" ")) {
                command = command.subcommands().get(word).getCommandSpec();
            }
            String column = ((Listing) command.userObject()).columns().titles().getFirst();
            var ended = program.run(line + " --where '" + column + " = nosuch' -o json");
            assertThat(ended.err()).as(line).isEmpty();
            assertThat(ended.out()).as(line).isEqualTo("[]\n");
        }
    }

    @Test
    void rowsAreChosenByLabel() {
        assertThat(names("volume list -l tier=gold")).isEqualTo("alpha");
        assertThat(names("volume list --label tier!=gold")).isEqualTo("beta gamma");
        assertThat(names("volume list -l tier")).isEqualTo("alpha beta");
        assertThat(names("volume list -l tier=gold,zone=a")).isEqualTo("alpha");
        assertThat(names("volume list -l tier=gold -l zone=b")).isEmpty();
        assertThat(names("volume list -l tier --where 'labels.zone is null'")).isEqualTo("beta");
    }

    @Test
    void whatIsWrongIsSaid() {
        refused("volume list --where 'usd > 1'", "no column 'usd' here (did you mean used?)");
        refused("job list --where 'stat = x'", "did you mean state?");
        refused("volume list --where 'used >'", "a value is missing behind '>'");
        refused("volume list --where 'used > lots'", "used: not a size: 'lots' (try 4MiB)");
        refused("volume list --where", "--where");
        refused("volume list --sort usd", "did you mean used?");
        refused("volume list --columns nme", "did you mean name?");
        refused("volume create x --where 'used > 1'", "--where");
        refused("volume show alpha --where 'used > 1'", "--where");
        assertThat(program.run("volume list --where 'usd > 1' -o json").err()).startsWith("{\"error\":")
                .contains("\"exit\":2,");
    }

    private static void refused(String line, String message) {
        var ended = program.run(line);
        assertThat(ended.err()).as(line).contains(message);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void columnsAreCompleted() {
        var completer = new SpecCompleter(Commands.tree(new Services()).spec(), new CompletionSources());
        assertThat(words(completer, "na")).containsExactly("name");
        assertThat(words(completer, "name = x and bl")).containsExactly("name = x and blockSize");
        assertThat(words(completer, "name = x and not (bl")).containsExactly("name = x and not (blockSize");
        assertThat(words(completer, "name = bl")).isEmpty();
    }

    private static List<String> words(SpecCompleter completer, String typed) {
        return completer.complete(List.of("volume", "list", "--where"), typed).candidates().stream()
                .map(Candidate::word).toList();
    }
}
