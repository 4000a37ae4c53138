package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import volsh.command.PlainEnglish;
import volsh.command.Services;
import volsh.command.failure.PastedHint;

/**
 * Texts in the sources: a hint can be pasted, because no command in a message has a placeholder such as STORE where the
 * user would have to know better; and messages are plain English.
 */
final class HintsTest {
    private static final List<String> MODULES = List.of("storage-core", "commands", "shell");
    /** Modules whose texts are plain English throughout; add storage-core when its texts are. */
    private static final List<String> PLAIN = List.of("storage-core", "commands", "shell");
    /** What help shows has placeholders: that is what they are for. */
    private static final Pattern ANNOTATION =
            Pattern.compile("@(?:Examples|Command|Option|Parameters)\\((?:[^()\"]|\"(?:[^\"\\\\]|\\\\.)*+\""
                    + "|\\([^()]*\\))*+\\)");
    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/");
    private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*+)\"");
    private static final Pattern COMMAND = Pattern.compile("volsh [a-z].*");
    private static final Pattern PLACEHOLDER = Pattern.compile("(?<![A-Za-z_%$])[A-Z]{3,}(?![A-Za-z_=])");

    /** A text with a command to paste: of ours, or of the system. */
    private static final Pattern PASTED = Pattern.compile(
            "(?:(?<!no )volsh [a-z]|^(?:" + String.join("|", PastedHint.SYSTEM) + ") ).*");
    /** Names of our commands, and others that a hint might begin with; "run" is a word of sentences. */
    private static final Set<String> OTHER_PROGRAMS = Stream.concat(
            Commands.tree(new Services()).spec().subcommands().keySet().stream(),
            Stream.of("sudo", "systemctl", "kill", "umount", "fusermount3", "apt-get", "export", "echo", "touch", "ln"))
            .filter(name -> !PastedHint.SYSTEM.contains(name) && !name.equals("run")).collect(Collectors.toSet());
    private static final Pattern MIXED =
            Pattern.compile("^volsh [a-z]+(?: [^:,]*)?(?:…|, (?:then|and|or|in|volsh) )");
    /** What is handed on as a hint, or as the command to run next. */
    private static final Pattern HINT = Pattern.compile("(?:\\.hint\\(|String next = |var next = )\"([a-z]+)[ \"]");
    /** Values that users and other programs choose freely; names of volumes, stores, runs and jobs are plain. */
    private static final Pattern FREE = Pattern.compile(
            "(?i)\\b\\w*(?:path|mountPoint|directory|file|operands|url|root|place|socket|metadataDirectory|parent)"
                    + "(?:\\(\\)|\\.get\\(\\)|\\.getFirst\\(\\)|\\.path\\(\\)|\\.getParent\\(\\))*$");

    /** Words in upper case that are no placeholders, or texts that are no hints, and why. */
    private static final Map<String, String> ALLOWED = Map.of(
            "Topics (volsh help TOPIC)", "a heading of the help, whose lines are the topics",
            "more workers (volsh bench run loader --on %s), or decode on the GPU", "the processor is called so");

    /** Texts that are names of others. */
    private static final Set<String> NAMES = Set.of("nobody");

    static List<String> placeholders(String source) {
        var found = new ArrayList<String>();
        var bare = ANNOTATION.matcher(COMMENT.matcher(source).replaceAll("")).replaceAll("");
        var texts = TEXT.matcher(bare);
        while (texts.find()) {
            var command = COMMAND.matcher(texts.group(1));
            if (command.find() && PLACEHOLDER.matcher(command.group()).find() && !ALLOWED.containsKey(texts.group(1))) {
                found.add(texts.group(1));
            }
        }
        return found;
    }

    /** Commands with a freely chosen name that is not quoted as {@link volsh.fs.ShellWord} does. */
    static List<String> unquoted(String source) {
        var found = new ArrayList<String>();
        var bare = ANNOTATION.matcher(COMMENT.matcher(source).replaceAll("")).replaceAll("");
        var texts = TEXT.matcher(bare);
        while (texts.find()) {
            var command = PASTED.matcher(texts.group(1));
            if (command.find()) {
                int before = texts.group(1).substring(0, command.start()).split("%[sd]", -1).length - 1;
                values(bare.substring(texts.end()), before).stream().map(String::strip)
                        .filter(value -> FREE.matcher(value).find() && !value.contains("ShellWord"))
                        .forEach(value -> found.add(texts.group(1) + ": " + value));
            }
        }
        return found;
    }

    /** What is put into a text, as {@code rest} goes on behind it, without the first ones. */
    private static List<String> values(String rest, int without) {
        var next = rest.strip();
        if (next.startsWith("+")) {
            return List.of(upTo(next.substring(1).strip(), ",;+:").getFirst());
        }
        if (!next.startsWith(".formatted(")) {
            return List.of();
        }
        var all = upTo(next.substring(".formatted(".length()), ",");
        return all.subList(Math.min(without, all.size()), all.size());
    }

    /** Cuts at these characters, outside brackets, up to the bracket that closes what was open before. */
    private static List<String> upTo(String text, String ends) {
        var parts = new ArrayList<String>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth < 0 || depth == 0 && ends.indexOf(c) >= 0) {
                parts.add(text.substring(from, i));
                from = i + 1;
            }
            if (depth < 0) {
                break;
            }
        }
        return parts.isEmpty() ? List.of(text) : parts;
    }

    /** Texts that begin as a command to paste and are not one: with advice behind a comma, or something left out. */
    static List<String> mixed(String source) {
        var bare = ANNOTATION.matcher(COMMENT.matcher(source).replaceAll("")).replaceAll("");
        return TEXT.matcher(bare).results().map(text -> text.group(1)).filter(text -> MIXED.matcher(text).find())
                .toList();
    }

    /** Texts of the program with words that are not plain English; names and comments are not looked at. */
    static List<String> dialect(String source) {
        var found = new ArrayList<String>();
        var texts = TEXT.matcher(COMMENT.matcher(source).replaceAll(""));
        while (texts.find()) {
            var text = texts.group(1);
            if (!PlainEnglish.dialect(text).isEmpty() && !NAMES.contains(text)) {
                found.add(text);
            }
        }
        return found;
    }

    /** What {@code faults} finds in the sources of these modules. */
    private static List<String> scan(List<String> modules, Function<String, List<String>> faults) throws IOException {
        var project = Path.of(System.getProperty("volsh.project", "")).toAbsolutePath();
        var found = new ArrayList<String>();
        for (var module : modules) {
            int files = 0;
            try (var sources = Files.walk(project.resolve(module).resolve("src/main/java"))) {
                for (var file : (Iterable<Path>) sources.filter(path -> path.toString().endsWith(".java"))::iterator) {
                    files++;
                    faults.apply(Files.readString(file)).forEach(text -> found.add(file.getFileName() + ": " + text));
                }
            }
            assertThat(files).as("the sources of %s were found", module).isGreaterThan(50);
        }
        return found;
    }

    @Test
    void whatBeginsAsACommandIsOne() throws IOException {
        assertThat(mixed("x(\"volsh cache epochs %s, then a larger --cache-size\", \"volsh mount … -r\")")).hasSize(2);
        assertThat(mixed("x(\"volsh umount a && volsh mount b a\", \"pack them: volsh mount b, or tar\")")).isEmpty();
        assertThat(scan(MODULES, HintsTest::mixed)).isEmpty();
    }

    @Test
    void noneHasAPlaceholder() throws IOException {
        assertThat(scan(MODULES, HintsTest::placeholders)).isEmpty();
    }

    @Test
    void namesInCommandsAreQuoted() throws IOException {
        assertThat(scan(MODULES, HintsTest::unquoted)).isEmpty();
    }

    /** Programs of the system at the beginning of a hint, which the prompt would take for something else. */
    static List<String> unmarked(String source) {
        return HINT.matcher(COMMENT.matcher(source).replaceAll("")).results().map(hint -> hint.group(1))
                .filter(OTHER_PROGRAMS::contains).toList();
    }

    @Test
    void programsOfTheSystemAreMarkedAtThePrompt() throws IOException {
        assertThat(scan(MODULES, HintsTest::unmarked)).isEmpty();
        assertThat(unmarked("x.hint(\"sudo mount %s\")")).containsExactly("sudo");
        assertThat(unmarked("String next = \"mkdir -p \" + path;")).isEmpty();
    }

    @Test
    void ofTheSystemThePromptMarksHints() {
        assertThat(PastedHint.atPrompt("mkdir -p ./out && volsh mount data ./out"))
                .isEqualTo("!mkdir -p ./out && volsh mount data ./out");
        assertThat(PastedHint.atPrompt("volsh mkdir data:/out")).isEqualTo("volsh mkdir data:/out");
        assertThat(PastedHint.atPrompt("lsx")).isEqualTo("lsx");
    }

    @Test
    void anUnquotedNameIsFound() {
        assertThat(unquoted("x.hint(\"volsh umount \" + spec.mountPoint());")).hasSize(1);
        assertThat(unquoted("x.hint(\"volsh undelete %s --at %s\".formatted(from.path(), at));")).hasSize(1);
        assertThat(unquoted("x.hint(\"mkdir -p \" + local.path())")).hasSize(1);
        assertThat(unquoted("x.hint(\"%s is full: volsh du %s:/\".formatted(path, volume))")).isEmpty();
        assertThat(unquoted("x.hint(\"volsh umount \" + ShellWord.of(spec.mountPoint()));")).isEmpty();
    }

    @Test
    void textsArePlainEnglish() throws IOException {
        assertThat(scan(PLAIN, HintsTest::dialect)).isEmpty();
    }

    @Test
    void dialectIsFound() {
        assertThat(dialect(
                "session.warn(\"nobody saves it\"); /* nobody */ x(\"nobody\"); y(\"numbers are low by so many\");"))
                .containsExactly("nobody saves it", "numbers are low by so many");
        assertThat(dialect("say(\"metadata are not shipped\")")).hasSize(1);
        assertThat(dialect("say(\"blocks and metadata are in the store\", \"metadata is shipped\")")).isEmpty();
    }

    @Test
    void aPlaceholderIsFound() {
        assertThat(placeholders("x.hint(\"volsh stripe rebalance d --add STORE\")")).hasSize(1);
        assertThat(placeholders("@Examples({\"volsh put FILE VOLUME:/path\"}) /** volsh put FILE */ x.hint(\"volsh "
                + "put %s\")")).isEmpty();
    }
}
