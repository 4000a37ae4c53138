package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.disk.LocalTrees;

/**
 * Every command that writes to the local disk, with a link in its way that another user planted there: what the link
 * leads to stays as it was.
 */
final class PlantedLinksTest {
    private static final int NOBODY = 65534;
    private static final int MODE = 0644;

    @TempDir
    Path directory;
    private Path target;
    private Path file;
    private Path tree;

    /**
     * A command, and the path in the target at which a link is planted; it leads to a file, a directory, or to nothing
     * yet.
     */
    private record Planted(String line, String link, Kind kind) {}

    private enum Kind { FILE, DIRECTORY, NOTHING }

    private static final List<Planted> TABLE = List.of(
            new Planted("get data:/d/f TARGET/f", "f", Kind.FILE),
            new Planted("get data:/d/f TARGET/f", "f", Kind.NOTHING),
            new Planted("get -r data:/d TARGET", "d", Kind.DIRECTORY),
            new Planted("get -r data:/d TARGET", "d", Kind.NOTHING),
            new Planted("get -r data:/ TARGET", "d", Kind.DIRECTORY),
            new Planted("get -r data:/ TARGET", "d/f", Kind.FILE),
            new Planted("cp data:/d/f TARGET/f", "f", Kind.FILE),
            new Planted("cp -r data:/d TARGET", "d", Kind.DIRECTORY),
            new Planted("volume dump data TARGET/dump", "dump", Kind.FILE),
            new Planted("volume dump data TARGET/dump", "dump", Kind.NOTHING),
            new Planted("volume dump data TARGET/dump --force", "dump", Kind.FILE),
            new Planted("checkpoint restore data --run r --to TARGET/r", "r", Kind.DIRECTORY),
            new Planted("checkpoint restore data --run r --to TARGET/r --force", "r", Kind.DIRECTORY),
            new Planted("checkpoint restore data --run r --to TARGET/r", "r", Kind.NOTHING),
            new Planted("doctor --bundle TARGET/bundle.tar.gz", "bundle.tar.gz", Kind.FILE),
            new Planted("doctor --bundle TARGET/bundle.tar.gz", "bundle.tar.gz", Kind.NOTHING),
            new Planted("man --write TARGET", "volsh.1", Kind.FILE),
            new Planted("service install data /mnt/data --unit-dir TARGET", "volsh-mnt-data.service", Kind.FILE),
            new Planted("service install data /mnt/data --unit-dir TARGET", ".volsh-mnt-data.service.new", Kind.FILE),
            new Planted("service install data /mnt/data --root TARGET", "etc", Kind.DIRECTORY),
            new Planted("service install data /mnt/data --root TARGET", "etc/systemd/system", Kind.DIRECTORY),
            new Planted("bench run meta --on TARGET --size 4KiB", ".volsh-bench-", Kind.DIRECTORY),
            new Planted("bench report last --html TARGET/page.html", "page.html", Kind.FILE),
            new Planted("bench report last --html TARGET/page.html --force", "page.html", Kind.FILE),
            new Planted("bench report last --html TARGET/page.html", "page.html", Kind.NOTHING));

    private String line(String line) {
        return line.replace("TARGET", target.toString());
    }

    @Test
    void noneIsFollowed() throws IOException {
        assumeTrue((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0,
                "giving links to others needs root");
        target = Files.createDirectory(directory.toRealPath().resolve("target"));
        file = directory.resolve("victim");
        tree = Files.createDirectory(directory.resolve("victims"));
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create data");
        scratch.ok("mkdir data:/d");
        scratch.ok("put %s data:/d/f".formatted(Files.writeString(directory.resolve("f"), "new bytes")));
        scratch.ok("checkpoint save data --run r --step 1 --from " + directory.resolve("f"));
        for (var planted : TABLE) {
            untouched(scratch, planted);
        }
    }

    private void untouched(Scratch scratch, Planted planted) throws IOException {
        Files.writeString(file, "victim");
        Files.setAttribute(file, "unix:mode", MODE);
        Path link = target.resolve(planted.link);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, switch (planted.kind) {
            case FILE -> file;
            case DIRECTORY -> tree;
            case NOTHING -> tree.resolve("new");
        });
        Files.setAttribute(link, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
        var ended = scratch.run(line(planted.line));
        assertThat(file).as("%s", planted).hasContent("victim");
        assertThat((Integer) Files.getAttribute(file, "unix:mode") & 07777).as("%s", planted).isEqualTo(MODE);
        assertThat((Integer) Files.getAttribute(file, "unix:uid")).as("%s", planted).isZero();
        assertThat(tree).as("%s", planted).isEmptyDirectory();
        assertThat(ended.err()).as("%s", planted).doesNotContain("internal error");
        if (ended.status() != 0) {
            assertThat(ended.err()).as("%s", planted).containsPattern("(error|warning): .*(link|exists|is there "
                    + "already|not written by volsh|is outside of|is not empty)");
        }
        LocalTrees.remove(target);
        Files.createDirectory(target);
    }
}
