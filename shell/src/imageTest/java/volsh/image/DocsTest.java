package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documents refer to exists: the tests behind promises, and the files and headings behind links. */
final class DocsTest {
    private static final Pattern TEST = Pattern.compile("`(?:[a-z]+\\.)*([A-Z]\\w*(?:Test|Contract))\\b[^`\n]*`");
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#]*)(?:#([^)]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ +(.*)$", Pattern.MULTILINE);

    @Test
    void everyTestThatIsNamedExists() throws IOException {
        var promised = testsNamedIn(Files.readString(Image.project().resolve("docs/SEMANTICS.md")));
        assertThat(promised).hasSizeGreaterThan(100);
        var existing = testNames();
        for (var document : documents()) {
            assertThat(testsNamedIn(Files.readString(document))).as(document.toString()).isSubsetOf(existing);
        }
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        var broken = new ArrayList<String>();
        for (var document : documents()) {
            broken.addAll(brokenLinks(document, Files.readString(document)));
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void whatDoesNotExistIsNoticed() throws IOException {
        assertThat(testsNamedIn("| `NoSuchTest`, `ship.OtherTest.method` (`--long`) |"))
                .containsExactly("NoSuchTest", "OtherTest").doesNotContainAnyElementsOf(testNames());
        var readme = Image.project().resolve("README.md");
        var text = "# Here it is\n[a](no-such.md) [b](#nowhere) [c](#here-it-is) "
                + "[d](docs/FORMAT.md#no) [e](docs/FORMAT.md)";
        assertThat(brokenLinks(readme, text))
                .containsExactly(readme + ": no-such.md", readme + ": #nowhere", readme + ": docs/FORMAT.md#no");
    }

    private static List<Path> documents() throws IOException {
        try (var top = Files.list(Image.project()); var docs = Files.walk(Image.project().resolve("docs"))) {
            return Stream.concat(top, docs).filter(path -> path.toString().endsWith(".md")).sorted().toList();
        }
    }

    private static Set<String> testsNamedIn(String text) {
        return TEST.matcher(text).results().map(found -> found.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> brokenLinks(Path document, String text) throws IOException {
        var broken = new ArrayList<String>();
        for (var found : LINK.matcher(text).results().toList()) {
            var file = found.group(1).isEmpty() ? document : document.resolveSibling(found.group(1));
            var anchor = found.group(2);
            if (!Files.exists(file)) {
                broken.add(document + ": " + found.group(1));
            } else if (anchor != null
                    && !anchors(found.group(1).isEmpty() ? text : Files.readString(file)).contains(anchor)) {
                broken.add("%s: %s#%s".formatted(document, found.group(1), anchor));
            }
        }
        return broken;
    }

    /** As GitHub makes them: lower case, blanks become hyphens, other punctuation goes. */
    private static Set<String> anchors(String text) {
        return HEADING.matcher(text).results()
                .map(found -> found.group(1).strip().toLowerCase(Locale.ROOT))
                .map(title -> title.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static Set<String> testNames() throws IOException {
        var names = new TreeSet<String>();
        for (var module : new String[] {"storage-core", "commands", "shell"}) {
            try (var files = Files.walk(Image.project().resolve(module).resolve("src"))) {
                files.map(Path::getFileName).map(Path::toString).filter(name -> name.endsWith(".java"))
                        .forEach(name -> names.add(name.substring(0, name.length() - ".java".length())));
            }
        }
        return names;
    }
}
