package volsh.command.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;

/** What people see of imports. */
final class ImportCommandTest {
    @TempDir
    Path directory;

    private Scratch scratch;

    @BeforeEach
    void prepare() throws IOException {
        scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create data --block-size 64KiB");
        object("a/one", 1000);
        object("a/two", 100_000);
        object("three", 10);
    }

    private void object(String key, int size) throws IOException {
        var file = directory.resolve("bucket").resolve(key);
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[size]);
    }

    private Ended run(String line) {
        return scratch.run(line.replace("URL", "file://" + directory.resolve("bucket")));
    }

    private Ended ended(String line, int status) {
        var ended = run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isEqualTo(status);
        return ended;
    }

    @Test
    void aDryRunSaysWhatWouldBeImported() {
        assertThat(ended("import URL data:/lake -n", 0).out()).contains("would import", "3 objects (98.6KiB)");
        assertThat(ended("ls data:/", 0).out()).isEmpty();
        assertThat(ended("import --list data", 0).out()).doesNotContain("file://");
    }

    @Test
    void importedBytesAreToldFromOwnOnes() {
        assertThat(ended("import URL data:/lake", 0).err())
                .contains("imported 3 objects (98.6KiB) into data:/lake", "2 requests, 0 B read");
        assertThat(ended("import URL data:/lake -o value:present", 0).out()).isEqualTo("3\n");
        assertThat(ended("volume show data -o value:imported", 0).out()).isEqualTo("101010\n");
        assertThat(ended("volume show data -o value:stored", 0).out()).isEqualTo("0\n");
        assertThat(ended("volume stats data -o value:importedBlocks", 0).out()).isEqualTo("4\n");
        assertThat(ended("stat --extents data:/lake/a/two -o value:imported", 0).out()).isEqualTo("100000\n");
        assertThat(ended("stat --extents data:/lake/a/two -o json", 0).out()).contains("\"object\":\"a/two\"", "etag");
        assertThat(ended("du -s data:/ -o value:imported", 0).out()).isEqualTo("101010\n");
        assertThat(ended("import --list data -o value:target", 0).out()).isEqualTo("data:/lake\n");
    }

    @Test
    void aStoreMayBeTheSource() {
        ended("store add lake URL", 0);
        assertThat(ended("import lake data:/all -o value:imported", 0).out()).isEqualTo("3\n");
        assertThat(ended("import lake://a/ data:/some -o value:imported", 0).out()).isEqualTo("2\n");
        assertThat(ended("ls data:/some --columns name -o tsv --no-headers", 0).out()).isEqualTo("one\ntwo\n");
    }

    @Test
    void whatChangedIsSaidAndFollowed() throws IOException {
        ended("import URL data:/lake", 0);
        object("three", 20);
        Files.delete(directory.resolve("bucket/a/one"));
        assertThat(ended("cat data:/lake/three", 7).err()).contains("three changed in the bucket since the import",
                "imported with ETag", "volsh import --list data");
        assertThat(ended("status -o json", 7).out()).contains("import-changed");
        assertThat(ended("import URL data:/lake", 10).err()).contains("not imported: 'three'",
                "to follow what changed: volsh import --refresh data:/lake");
        assertThat(ended("import --refresh data:/lake -n", 0).out()).contains("1 replaced, 1 removed");
        assertThat(ended("import --refresh data:/lake", 0).err()).contains("1 replaced, 1 removed");
        assertThat(ended("stat data:/lake/three -o value:size", 0).out()).isEqualTo("20\n");
        ended("cat data:/lake/three", 0);
        assertThat(ended("status -o json", 0).out()).doesNotContain("import-changed");
        ended("volume check data --deep", 0);
    }

    @Test
    void keysThatAreNoFilesAreReported() throws IOException {
        object("bad\nname", 1);
        var report = directory.resolve("report");
        var ended = ended("import URL data:/lake --report " + report, 10);
        assertThat(ended.err()).contains("not imported: 'bad\\x0aname': the key contains control characters",
                "1 skipped");
        assertThat(Files.readString(report)).startsWith("{\"key\":").contains("bad\\nname");
        assertThat(ended("ls data:/lake --columns name -o tsv --no-headers", 0).out()).isEqualTo("a\nthree\n");
    }

    @Test
    void badInputIsOneLine() {
        assertThat(ended("import URL", 2).err()).contains("the target is missing");
        assertThat(ended("import URL URL", 2).err()).contains("is not a directory of a volume");
        assertThat(ended("import --refresh URL data:/", 2).err()).contains("--refresh takes a target only");
        assertThat(ended("import --refresh --list data:/", 2).err()).contains("exclude each other");
        assertThat(ended("import --refresh data:/", 3).err()).contains("nothing was imported into data:/");
        assertThat(ended("import none data:/x", 3).err()).contains("no such store: 'none'");
        assertThat(ended("import URL/none data:/x", 6).err()).contains("no directory");
        assertThat(ended("import URL none:/x", 3).err()).contains("no such volume");
        assertThat(ended("import URL data:/x/y/z", 3).err()).contains("data:/x/y: no such directory");
        assertThat(ended("import URL data:/x --region eu-central-1", 2).err())
                .contains("--region needs an s3:// store");
        assertThat(ended("ls data:/", 0).out()).isEmpty();
    }

    /** The bytes of an encrypted volume are encrypted, and those of objects are what they are. */
    @Test
    void anEncryptedVolumeRefuses() throws IOException {
        byte[] bytes = new byte[64];
        new SplittableRandom(1).nextBytes(bytes);
        var key = Files.write(Files.createFile(directory.resolve("key"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))), bytes);
        ended("volume create secret --encrypt key-file:" + key, 0);
        assertThat(ended("import URL secret:/lake", 2).err()).contains("it is encrypted, and imported objects are not");
        assertThat(ended("ls secret:/", 0).out()).isEmpty();
    }

    /** Versions that do not know imported files refuse form 2. */
    @Test
    void theRecordOfTheVolumeHasAnotherForm() throws IOException {
        ended("import URL data:/lake", 0);
        var dump = directory.resolve("dump");
        ended("volume dump data " + dump, 0);
        assertThat(Files.readString(dump)).contains("\\\"form\\\" : \\\"2\\\"");
        ended("volume create other", 0);
        ended("volume dump other " + directory.resolve("other"), 0);
        assertThat(Files.readString(directory.resolve("other"))).contains("\\\"form\\\" : \\\"1\\\"");
    }
}
