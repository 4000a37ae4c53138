package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonToken;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ls, cat, stat, find and du. */
final class LookingTest {
    @TempDir
    Path directory;
    private FileHome home;

    @BeforeEach
    void prepare() throws Exception {
        home = new FileHome(directory);
        at(home.file("t/a.jpg", 100), "2026-11-10T01:02:03Z");
        at(home.file("t/big.tar", 200_000), "2026-11-12T00:00:00Z");
        at(home.file("t/sub/c.jpg", 5_000), "2026-11-16T10:00:00Z");
        at(home.file("t/.hidden", 7), "2026-01-01T00:00:00Z");
        at(home.file("t/sub/empty", 0), "2026-11-16T00:00:00Z");
        Files.createSymbolicLink(home.local("t/link"), Path.of("sub/c.jpg"));
        Files.createLink(home.local("t/sub/same"), home.local("t/big.tar"));
        Files.setPosixFilePermissions(home.local("t/a.jpg"), PosixFilePermissions.fromString("rw-r-----"));
        Files.createDirectory(home.local("t/none"));
        home.succeed("put -q -r @t/. data:/");
    }

    private static void at(Path path, String time) throws Exception {
        Files.setLastModifiedTime(path, FileTime.from(Instant.parse(time)));
    }

    private static List<String> fields(String json) throws Exception {
        var names = new ArrayList<String>();
        try (var parser = new JsonFactory().createParser(json)) {
            for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.FIELD_NAME) {
                    names.add(parser.currentName());
                }
            }
        }
        return names;
    }

    @Test
    void lsShowsNamesAsPeopleExpect() {
        home.shows("ls data:/", "a.jpg\nbig.tar\nlink\nnone\nsub\n");
        home.shows("ls -a data:/", ".hidden\na.jpg\nbig.tar\nlink\nnone\nsub\n");
        home.shows("ls -S data:/sub", "same\nc.jpg\nempty\n");
        home.shows("ls -t data:/sub", "c.jpg\nempty\nsame\n");
        home.shows("ls -tr data:/sub", "same\nempty\nc.jpg\n");
        home.shows("ls -r data:/", "sub\nnone\nlink\nbig.tar\na.jpg\n");
        home.shows("ls -d data:/sub", "data:/sub\n");
        home.shows("ls data:/a.jpg data:/sub", "data:/a.jpg\ndata:/sub/c.jpg\ndata:/sub/empty\ndata:/sub/same\n");
        home.shows("ls -R data:/", "a.jpg\nbig.tar\nlink\nnone\nsub\nsub/c.jpg\nsub/empty\nsub/same\n");
        home.shows("ls -l -1 data:/sub", "c.jpg\nempty\nsame\n");
        home.shows("ls data:/none", "");
        home.shows("ls -o name data:/sub", "c.jpg\nempty\nsame\n");
        home.shows("ls data:/sub --sort size", "empty\nc.jpg\nsame\n");
        home.shows("ls data:/sub --sort -modified", "c.jpg\nempty\nsame\n");
        assertThat(home.succeed("ls -l data:/sub --sort inode").out().lines()).hasSize(3);
    }

    @Test
    void lsLongLooksLikeLs() {
        var lines = home.succeed("ls -l data:/").out().lines().map(line -> line.replaceAll(" +", " ")).toList();
        assertThat(lines.getFirst()).isEqualTo("-rw-r----- 1 root root 100B 2026-11-10 01:02:03 a.jpg");
        assertThat(lines.get(1)).startsWith("-rw-r--r-- 2 root root 195.3KiB 2026-11-12 00:00:00 big.tar");
        assertThat(lines.get(2)).startsWith("lrwxrwxrwx 1 root root 9B").endsWith("link -> sub/c.jpg");
        assertThat(lines.get(4)).startsWith("drwxr-xr-x 2 root root").endsWith(" sub");
    }

    @Test
    void lsFollowsALinkToADirectoryUnlessLong() {
        home.succeed("ln -s sub data:/way");
        home.shows("ls data:/way", "c.jpg\nempty\nsame\n");
        assertThat(home.succeed("ls -l data:/way").out()).contains("data:/way -> sub");
        home.shows("ls data:/way/", "c.jpg\nempty\nsame\n");
    }

    @Test
    void lsAsJsonHasExactFields() throws Exception {
        var json = home.succeed("ls data:/a.jpg -o json").out();
        assertThat(fields(json))
                .containsExactly("name", "path", "type", "mode", "permissions", "links", "owner", "group", "uid", "gid",
                "sizeBytes", "modified", "inode", "target", "etag");
        assertThat(json)
                .contains("\"sizeBytes\": 100", "\"modified\": \"2026-11-10T01:02:03Z\"", "\"permissions\": \"0640\"",
                "\"path\": \"data:/a.jpg\"");
        assertThat(home.succeed("ls -R data:/ -o jsonl").out().lines()).hasSize(8)
                .allMatch(line -> line.startsWith("{"));
    }

    @Test
    void namesThatAreNotTextCanBePasted() throws Exception {
        new ProcessBuilder("sh", "-c", "printf 'caf\\351' | xargs -0 touch; printf 'new\\nline' | xargs -0 touch")
                .directory(Files.createDirectory(home.local("odd")).toFile()).start().waitFor();
        home.succeed("put -r @odd data:/");
        home.shows("ls data:/odd -o json --columns name",
                "[\n  {\"name\": \"caf\\\\xe9\"},\n  {\"name\": \"new\\nline\"}\n]\n");
        home.shows("ls data:/odd", "caf\\xe9\nnew\\nline\n");
        home.shows("stat 'data:/odd/caf\\xe9' -o value:size", "0\n");
        home.refused("cat data:/odd/caf\uFFFD", 3,
                "no such file or directory (write bytes that are not UTF-8 as \\xNN");
        home.refused("rm data:/odd/caf\uFFFD", 3, "as \\xNN");
        home.succeed("mv 'data:/odd/caf\\xe9' data:/odd/cafe");
        home.shows("ls data:/odd", "cafe\nnew\\nline\n");
    }

    @Test
    void catWritesBytesAndRefusesWhatHasNone() throws Exception {
        home.text("x", "hello\n");
        home.text("y", "world\n");
        home.succeed("put @x @y data:/");
        home.shows("cat data:/x data:/y", "hello\nworld\n");
        home.refused("cat data:/sub", 1, "data:/sub: is a directory");
        home.refused("cat data:/x data:/nope", 3, "data:/nope: no such file or directory");
        home.refused("cat data:/x/y", 1, "data:/x/y: not a directory");
    }

    @Test
    void catOfADamagedFileNamesIt() {
        home.blocks(LookingTest::damage);
        var ended = home.run("cat data:/big.tar");
        assertThat(ended.status()).isEqualTo(7);
        assertThat(ended.err()).contains("error: data:/big.tar: stored data is damaged", "[BLK-0007]",
                "hint: volsh volume check data --deep");
        assertThat(home.run("get -r data:/ @out").status()).isEqualTo(7);
        assertThat(home.local("out/a.jpg")).exists();
        assertThat(home.local("out/big.tar")).doesNotExist();
    }

    private static void damage(Path block) {
        try {
            byte[] bytes = Files.readAllBytes(block);
            bytes[bytes.length - 5] ^= 1;
            Files.write(block, bytes);
        } catch (java.io.IOException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @Test
    void statShowsEverything() throws Exception {
        var json = home.succeed("stat data:/big.tar --extents -o json").out();
        assertThat(fields(json))
                .contains("inode", "allocatedBytes", "version", "modifiedNanos", "extents", "blocks", "storedBytes");
        assertThat(json)
                .contains("\"sizeBytes\": 200000", "\"links\": 2", "\"modifiedNanos\": 1794441600000000000",
                "\"start\":0", "\"blocks\": 4");
        assertThat(home.succeed("stat data:/a.jpg --extents").out()).containsPattern("inline +100B")
                .containsPattern("type +file");
        assertThat(home.succeed("stat data:/link").out()).containsPattern("type +link")
                .containsPattern("target +sub/c.jpg");
        assertThat(home.succeed("stat -L data:/link").out()).containsPattern("size +4.9KiB");
        assertThat(home.succeed("stat data:/a.jpg data:/sub -o name").out()).isEqualTo("data:/a.jpg\ndata:/sub\n");
    }

    @Test
    void findTests() {
        home.shows("find data:/ --name '*.jpg' -o name", "data:/a.jpg\ndata:/sub/c.jpg\n");
        home.shows("find data:/ -name '*.jpg' -maxdepth 1 -type f -o name", "data:/a.jpg\n");
        home.shows("find data:/ --iname '*.JPG' --size +1KiB -o name", "data:/sub/c.jpg\n");
        home.shows("find data:/ --type d -o name", "data:/\ndata:/none\ndata:/sub\n");
        home.shows("find data:/ --type l -o name", "data:/link\n");
        home.shows("find data:/ --path '/s*/*' -o name", "data:/sub/c.jpg\ndata:/sub/empty\ndata:/sub/same\n");
        home.shows("find data:/ --empty -o name", "data:/none\ndata:/sub/empty\n");
        home.shows("find data:/ --max-depth 0 -o name", "data:/\n");
        home.shows("find data:/ --min-depth 2 -o name", "data:/sub/c.jpg\ndata:/sub/empty\ndata:/sub/same\n");
        home.shows("find data:/ --max-depth 1 --type d -o name", "data:/\ndata:/none\ndata:/sub\n");
        home.shows("find data:/ --size -101 --type f -o name", "data:/.hidden\ndata:/a.jpg\ndata:/sub/empty\n");
        home.shows("find data:/ --size 100 -o name", "data:/a.jpg\n");
        home.shows("find data:/ --type f --newer-than 1d -o name", "data:/sub/c.jpg\ndata:/sub/empty\n");
        home.shows("find data:/ --type f --older-than 30d -o name", "data:/.hidden\n");
        home.shows("find data:/sub/c.jpg -o name", "data:/sub/c.jpg\n");
        home.shows("find data:/ --name '[!a-y]*' -o name", "data:/\ndata:/.hidden\n");
        home.refused("find data:/ --size lots", 2, "not a size: 'lots'");
        home.refused("find data:/ --type x", 2, "'x' is not one of");
        home.refused("find data:/nope", 3, "data:/nope: no such file or directory");
    }

    @Test
    void duCountsAFileWithTwoNamesOnce() {
        var rows = home.succeed("du data:/ -o csv --columns path,size,files").out();
        assertThat(rows).isEqualTo("path,sizeBytes,files\ndata:/none,0,0\ndata:/sub,5000,2\ndata:/,205116,6\n");
        assertThat(home.succeed("du -s data:/ -o value:size").out()).isEqualTo("205116\n");
        assertThat(home.succeed("du -d 0 data:/ -o name").out()).isEqualTo("data:/\n");
        assertThat(home.succeed("du -a data:/sub -o name").out())
                .isEqualTo("data:/sub/c.jpg\ndata:/sub/empty\ndata:/sub/same\ndata:/sub\n");
        home.refused("du -s -a data:/", 2, "-s excludes -a and -d");
    }

    @Test
    void whatDoesNotExistIsNotFound() {
        home.refused("ls nope:/", 3, "no such volume: 'nope'", "volsh volume list");
        home.refused("ls data:/nope", 3, "data:/nope: no such file or directory");
        home.refused("ls somewhere", 2, "not a place in a volume: 'somewhere'");
        home.refused("stat data:/a.jpg/x", 1, "data:/a.jpg/x: not a directory");
        home.refused("du data:/x", 3, "data:/x: no such file or directory");
    }
}
