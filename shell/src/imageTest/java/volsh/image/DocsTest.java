package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the documents point at is there: tests behind promises, files behind links. */
final class DocsTest {
    private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|Contract))`");
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#]+)\\)");

    @Test
    void everyPromiseHasItsTest() throws IOException {
        var named = new TreeSet<String>();
        TEST.matcher(Files.readString(Image.project().resolve("docs/SEMANTICS.md"))).results().forEach(found -> named.add(found.group(1)));
        assertThat(named).hasSizeGreaterThan(8);
        assertThat(named).isSubsetOf(testNames());
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        for (var document : new String[] {"README.md", "CONTRIBUTING.md", "docs/ARCHITECTURE.md", "docs/SEMANTICS.md", "docs/PERFORMANCE.md"}) {
            var path = Image.project().resolve(document);
            LINK.matcher(Files.readString(path)).results().forEach(found ->
                    assertThat(path.resolveSibling(found.group(1))).as(document).exists());
        }
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
