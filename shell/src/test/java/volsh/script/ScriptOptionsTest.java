package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Options of every command, wherever they stand around a script: none is swallowed, and a dry run is one. */
@Timeout(300)
final class ScriptOptionsTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");

    @TempDir
    Path directory;

    private Workshop workshop;

    @BeforeEach
    void open() {
        workshop = new Workshop(directory);
    }

    /**
     * A way to run something that makes the volume {@code made}: the words before and behind it, and what may follow
     * these.
     */
    private record Form(String name, List<String> before, List<String> script) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String PLAIN = "volume.create 'made'\n";
    private static final String DECLARING = "cli { option 'name', default: 'x'; flag 'keep' }\nvolume.create 'made'\n";

    private static List<Form> forms() {
        return List.of(
                new Form("run FILE", List.of("run"), List.of("plain.groovy")),
                new Form("run FILE with cli", List.of("run"), List.of("declaring.groovy")),
                new Form("run FILE.volsh", List.of("run"), List.of("lines.volsh")),
                new Form("run -", List.of("run"), List.of("-")),
                new Form("FILE", List.of(), List.of("plain.groovy")),
                new Form("FILE with cli", List.of(), List.of("declaring.groovy")),
                new Form("FILE.volsh", List.of(), List.of("lines.volsh")),
                new Form("-e", List.of(), List.of("-e", PLAIN)),
                new Form("run -e", List.of("run"), List.of("-e", DECLARING)),
                new Form("-c", List.of(), List.of("-c", "volume create made")),
                new Form("run -c", List.of("run"), List.of("--command=volume create made")));
    }

    private static Stream<Arguments> dryRuns() {
        var options = List.of("-n", "--dry-run", "-nq", "-yn", "--dry-run=true");
        var places = List.of("first", "before", "behind", "behind a word", "between words");
        var all = new ArrayList<Arguments>();
        for (int form = 0; form < forms().size(); form++) {
            for (int option = 0; option < options.size(); option++) {
                for (int place = 0; place < places.size(); place++) {
                    if (LONG || (form + option + place) % places.size() == 0) {   // every pair of them is there
                        all.add(Arguments.of(forms().get(form), options.get(option), places.get(place)));
                    }
                }
            }
        }
        return all.stream();
    }

    private Workshop.Ended run(Form form, String place, String... options) throws IOException {
        workshop.file("plain.groovy", PLAIN);
        workshop.file("declaring.groovy", DECLARING);
        workshop.file("lines.volsh", "volume create made\n");
        workshop.typing("volume create made\n");
        var words = new ArrayList<String>();
        if (place.equals("first")) {
            words.addAll(List.of(options));
        }
        words.addAll(form.before());
        if (place.equals("before")) {
            words.addAll(List.of(options));
        }
        form.script().forEach(word -> words.add(word.endsWith(".groovy") || word.endsWith(".volsh")
                ? directory.resolve(word).toString() : word));
        switch (place) {
            case "behind" -> words.addAll(List.of(options));
            case "behind a word" -> {
                words.add("word");
                words.addAll(List.of(options));
            }
            case "between words" -> {
                words.add("word");
                words.addAll(List.of(options));
                words.add("another");
            }
            default -> { }
        }
        return workshop.run(words.toArray(String[]::new));
    }

    private boolean made() throws IOException {
        return workshop.run("volume", "list", "-o", "name").out().contains("made");
    }

    @ParameterizedTest
    @MethodSource("dryRuns")
    void aDryRunIsOneEverywhere(Form form, String option, String place) throws IOException {
        var ended = run(form, place, option);
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("would create");
        assertThat(made()).isFalse();
    }

    /** The control: without the option the same forms do make the volume. */
    @ParameterizedTest
    @MethodSource("forms")
    void withoutItTheScriptsAreReal(Form form) throws IOException {
        assertThat(run(form, "between words").status()).isZero();
        assertThat(made()).isTrue();
    }

    private static Stream<Arguments> others() {
        var places = List.of("first", "before", "behind", "behind a word");
        var all = new ArrayList<Arguments>();
        for (int form = 0; form < forms().size(); form++) {
            for (int place = 0; place < places.size(); place++) {
                if (LONG || (form + place) % 3 == 0) {
                    all.add(Arguments.of(forms().get(form), places.get(place)));
                }
            }
        }
        return all.stream();
    }

    /** What each of the others does is seen: JSON errors, exit 20, a refusal to ask, a detail, a trace. */
    @ParameterizedTest
    @MethodSource("others")
    void theOtherOptionsHoldEverywhere(Form form, String place) throws IOException {
        assertThat(run(form, place, "-n", "--exit-code").status()).isEqualTo(20);
        assertThat(run(form, place, "--exit-code").err()).contains("--exit-code needs --dry-run");
        assertThat(made()).isFalse();
        assertThat(workshop.run("volume", "create", "made").status()).isZero();
        assertThat(run(form, place, "-o", "json").err()).startsWith("{\"error\":");
        assertThat(run(form, place, "--output=json").err()).startsWith("{\"error\":");
        assertThat(run(form, place, "-ojson").err()).startsWith("{\"error\":");
        assertThat(run(form, place, "--debug").err()).contains("    at volsh.");
        assertThat(run(form, place, "-o", "jsn").status()).isEqualTo(2);
        assertThat(run(form, place, "--color=always").err()).contains("\u001b[");
    }

    @ParameterizedTest
    @MethodSource("others")
    void quietIsQuietEverywhere(Form form, String place) throws IOException {
        assertThat(run(form, place, "-q").err()).doesNotContain("created volume");
        assertThat(workshop.run("volume", "destroy", "made", "--confirm", "made").status()).isZero();
        assertThat(run(form, place).err()).contains("created volume");
    }

    @Test
    void yesAnswersTheScriptsQuestions() throws IOException {
        for (String script : List.of("confirm 'sure?'\nprintln 'done'\n",
                "cli { option 'name' }\nconfirm 'sure?'\nprintln 'done'\n")) {
            assertThat(workshop.script(script).status()).isEqualTo(2);
            for (String option : List.of("-y", "--yes", "-qy")) {
                assertThat(workshop.script(script, "word", option).out()).isEqualTo("done\n");
            }
        }
    }

    /** What behind the script cannot be done is refused, and nothing runs. */
    @ParameterizedTest
    @MethodSource("forms")
    void helpAndVersionNeverRunTheScript(Form form) throws IOException {
        for (String option : List.of("-h", "--help", "-V", "--version")) {
            run(form, "behind", option);
            assertThat(made()).as(option).isFalse();
        }
    }

    @Test
    void lettersThatMixAreRefused() throws IOException {
        workshop.file("plain.groovy", PLAIN);
        for (String mixed : List.of("-kn", "-nk", "-ni")) {
            var ended = workshop.run("run", directory.resolve("plain.groovy").toString(), mixed);
            assertThat(ended.status()).isEqualTo(2);
            assertThat(ended.err()).contains("write -n as a word of its own");
        }
        assertThat(made()).isFalse();
    }

    @Test
    void whatTheScriptDeclaresIsItsOwn() throws IOException {
        String script = "cli { option 'output'; flag 'yes'; option 'sort' }\nprintln \"$opts.output $opts.yes "
                + "$opts.sort $opts.args\"\n";
        assertThat(workshop.script(script, "--output", "dir", "--yes", "--sort=x", "word").out())
                .isEqualTo("dir true x [word]\n");
        assertThat(workshop.script(script, "-o", "json", "--output", "dir").out()).isEqualTo("dir false null []\n");
    }

    @Test
    void noScriptGivesADryRunAnotherMeaning() throws IOException {
        for (String name : List.of("n", "dry-run", "dryRun")) {
            var ended = workshop.script("cli { flag '" + name + "' }\nvolume.create 'made'\n");
            assertThat(ended.status()).isEqualTo(2);
            assertThat(ended.err()).contains("-n and --dry-run always mean a dry run");
        }
        assertThat(made()).isFalse();
    }

    @Test
    void behindTwoDashesEverythingIsTheScripts() throws IOException {
        assertThat(workshop.script("println args\n", "a", "--", "-n", "--help", "-o").out())
                .isEqualTo("[a, -n, --help, -o]\n");
        assertThat(workshop.script("cli { }\nprintln opts.args\n", "a", "--", "-n", "-o").out())
                .isEqualTo("[a, -n, -o]\n");
    }

    @Test
    void otherWordsStayAsTheyAre() throws IOException {
        assertThat(workshop.script("println args\n", "-x", "--mine=1", "-5", "-", "-name", "--").out())
                .isEqualTo("[-x, --mine=1, -5, -, -name]\n");
    }

    @Test
    void aValueIsNotTakenForAnOption() throws IOException {
        String script = "cli { option 'name' }\nprintln \"<$opts.name>\"\nvolume.create 'made'\n";
        assertThat(workshop.script(script, "--name=-n").out()).startsWith("<-n>\n");
        assertThat(workshop.run("volume", "destroy", "made", "--confirm", "made").status()).isZero();
        var ended = workshop.script(script, "--name", "-n");
        assertThat(ended.err()).contains("--name needs a value");
        assertThat(made()).isFalse();
    }

    @Test
    void formatsHoldForEveryLine() throws IOException {
        workshop.run("volume", "create", "made");
        assertThat(workshop.run("-c", "volume list", "-o", "name").out()).isEqualTo("made\n");
        assertThat(workshop.run("-c", "volume list", "-o", "csv", "--columns", "name,store", "--no-headers").out())
                .isEqualTo("made,default\n");
        assertThat(workshop.run("-c", "volume list -o csv --columns name", "-o", "json").out())
                .isEqualTo("name\nmade\n");
        assertThat(workshop.run("-e", "volumes*.name", "-o", "json").out()).contains("\"made\"");
    }

    @Test
    void confirmationsHoldForEveryCommand() throws IOException {
        workshop.run("volume", "create", "made");
        assertThat(workshop.run("-c", "volume destroy made", "--confirm", "other").status()).isEqualTo(2);
        assertThat(made()).isTrue();
        assertThat(workshop.run("-c", "volume destroy made", "--confirm", "made").status()).isZero();
        assertThat(made()).isFalse();
    }

    @Test
    void aTimeoutIsADeadline() throws IOException {
        assertThat(workshop.run("run", "--timeout", "200ms", "-e", "while (true) { }").status()).isEqualTo(124);
    }

    /** A script in which a dry run is asked for by the README's own words. */
    @Test
    void theReadmesInvitationIsTrue() throws IOException {
        var ended = workshop.script("cli { option 'name', required: true }\nvolume.ensure opts.name\n", "--name",
                "made", "-n");
        assertThat(ended.status()).isZero();
        assertThat(ended.out()).contains("would create");
        assertThat(made()).isFalse();
    }
}
