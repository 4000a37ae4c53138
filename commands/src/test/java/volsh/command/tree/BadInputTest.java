package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.command.tree.Scratch.Ended;

/** Whatever is wrong gives one clear line, the right exit code, and leaves the home as it was. */
final class BadInputTest {
    @TempDir
    static Path shared;
    private static Scratch prepared;

    @TempDir
    Path directory;
    private Scratch scratch;

    @BeforeEach
    void home() {
        scratch = new Scratch(directory.resolve("home"));
    }

    private void prepare() {
        prepare(scratch, directory);
    }

    private static void prepare(Scratch scratch, Path directory) {
        assertThat(scratch.run("volume create training-data --block-size 64KiB").status()).isZero();
        assertThat(scratch.run("store add lake file://" + directory.resolve("lake")).status()).isZero();
    }

    /** Fails so, in plain words, and the home is what it was. */
    private Ended refused(String line, int status, String words) {
        var before = scratch.files();
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isEqualTo(status);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).startsWith("error: ").contains(words).doesNotContain("Exception", "null", "\tat ");
        assertThat(ended.err().lines().filter(each -> each.startsWith("error: "))).hasSize(1);
        assertThat(scratch.files()).as("what is left after: " + line).isEqualTo(before);
        Ended json = scratch.run("-o json " + line);
        assertThat(json.status()).isEqualTo(status);
        assertThat(json.err()).startsWith("{\"error\":{").contains("\"exit\":" + status).hasLineCount(1);
        return ended;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            volume create Big-Name                               | 2 | not a volume name: 'Big-Name'
            volume create -- -x                                  | 2 | not a volume name: '-x'
            volume create a.b                                    | 2 | lower case letters, digits and dashes
            volume create ''                                     | 2 | not a volume name: ''
            volume create ../../etc                              | 2 | not a volume name
            volume create                                        | 2 | missing required parameter
            volume create a b                                    | 2 | unexpected argument 'b'
            volume create a --block-size lots                    | 2 | not a size: 'lots'
            volume create a --block-size 3MiB                    | 2 | power of two from 64KiB to 16MiB
            volume create a --block-size 32KiB                   | 2 | power of two from 64KiB to 16MiB
            volume create a --block-size 64MiB                   | 2 | power of two from 64KiB to 16MiB
            volume create a --block-size -4MiB                   | 2 | -4MiB
            volume create a --inline 1MiB                        | 2 | at most 64KiB
            volume create a --compression gzip                   | 2 | not a compression: 'gzip' (try none, lz4 or zstd:3)
            volume create a --compression zstd:99                | 2 | not a compression: 'zstd:99'
            volume create a --profile movies                     | 2 | 'movies' is not one of general, images, video
            volume create a --label tier                         | 2 | KEY=VALUE
            volume create a --label '=x'                         | 2 | label
            volume create a --blocksize 4MiB                     | 2 | --block-size
            volume create a --metaStoreID 1                      | 2 | unknown option '--metaStoreID'
            volume create a --store nope                         | 3 | no such store: 'nope'
            volume create a --store s3://bucket/x                | 2 | volsh store add lake s3://bucket/x
            volume create a --store /srv/lake                    | 2 | --store takes the name of a store
            volume create a --columns nmae                       | 2 | no column 'nmae'
            volume create a --sort -size                         | 2 | no column 'size'
            volume destroy training-data -y --columns name,size  | 2 | no column 'size'
            mkdir training-data:/d --sort nmae                   | 2 | no column 'nmae'
            find training-data:/ -nmae x                         | 2 | unknown option '-nmae' of volsh find
            find training-data:/ -nmae x                         | 2 | did you mean --name ?
            volume create training-data                          | 4 | volume 'training-data' exists already
            volume ensure training-data --block-size 4MiB        | 4 | is 64KiB, asked for 4MiB
            volume ensure training-data --store lake             | 4 | is default, asked for lake
            volume show nope                                     | 3 | no such volume: 'nope'
            volume show Nope                                     | 2 | not a volume name
            volume set nope compression=lz4                      | 3 | no such volume: 'nope'
            volume set training-data compression=gzip            | 2 | not a compression: 'gzip'
            volume set training-data compression                 | 2 | try compression=zstd:3
            volume set training-data colour=red                  | 2 | settings: compression, inline, ship-metadata, retention, gc, compact, label.KEY
            volume set training-data block-size=1MiB             | 4 | it is permanent
            volume set training-data store=lake                  | 4 | it is permanent
            volume set training-data name=x                      | 2 | volsh volume rename training-data x
            volume rename nope other                             | 3 | no such volume: 'nope'
            volume rename training-data training-data            | 4 | exists already
            volume rename training-data X                        | 2 | not a volume name: 'X'
            volume destroy nope --confirm nope                   | 3 | no such volume: 'nope'
            volume destroy training-data                         | 2 | --confirm training-data
            volume destroy training-data --no-input              | 2 | --confirm training-data
            volume destroy training-data --confirm other         | 2 | not 'training-data'
            df nope                                              | 3 | no such volume: 'nope'
            store add lake file:///srv/other                     | 4 | store 'lake' exists already
            store add x s3://bucket --endpoint http://10.1.2.3   | 2 | plain http sends all data
            store add x s3://bucket --endpoint https://u:p@host  | 2 | without credentials
            store add x s3://bucket --anonymous --profile lab    | 2 | option anonymous
            store add x s3://bucket --region 'us east'           | 2 | invalid region
            store add x 's3://bucket?region=a' --region b        | 2 | option region is already in the URL
            store add x s3://bucket --secret-key hunter2         | 2 | unknown option '--secret-key'
            store add x file:///srv/x --endpoint https://host    | 2 | --endpoint needs an s3:// store
            store add x http://host/                             | 2 | http:// is not a valid store URL
            store add x /srv/lake                                | 2 | file:///srv/lake
            store add x file://relative                          | 2 | invalid location of a store
            store add x s3://b/x                                 | 2 | buckets have 3 to 63 lower-case letters
            store add x file:///a/../../b                        | 2 | invalid location of a store
            store add x s3://key:secret@bucket/x                 | 2 | credentials do not belong in a store URL
            store add x 'file:///srv/x?speed=1'                  | 2 | no option 'speed'
            store add X file:///srv/x                            | 2 | not a store name: 'X'
            store show nope                                      | 3 | stores here: default, lake
            store probe nope                                     | 3 | no such store
            store probe lake --size 1GiB                         | 2 | 1B to 64MiB
            store probe lake --count 0                           | 2 | 1 to 1000
            store remove nope                                    | 3 | no such store
            store remove default                                 | 2 | built in
            volume destory training-data                         | 127 | did you mean: volsh volume destroy training-data
            warm training-data:/                                 | 127 | did you mean: volsh cache warm training-data:/
            diff training-data 1 2                               | 127 | did you mean: volsh checkpoint diff training-data 1 2
            restore training-data                                | 127 | did you mean: volsh checkpoint restore training-data
            destory volume x                                     | 127 | did you mean: volsh volume destroy x
            sl training-data:/                                   | 127 | did you mean: volsh ls training-data:/
            stroe lits                                           | 127 | did you mean: volsh store list
            volume                                               | 2 | missing command of volsh volume
            """)
    void aWrongLine(String line, int status, String words) {
        scratch = prepared();
        refused(line, status, words);
    }

    /** One home for all lines, as none of them may change it. */
    private static synchronized Scratch prepared() {
        if (prepared == null) {
            prepared = new Scratch(shared.resolve("home"));
            prepare(prepared, shared);
        }
        return prepared;
    }

    /** A guess is a command that exists and resembles what was typed, or there is none. */
    @ParameterizedTest
    @ValueSource(strings = {"meta create m1", "cd training-data:/", "stoer nothing", "sharpen pack x", "xx"})
    void noWildGuesses(String line) {
        scratch = prepared();
        assertThat(refused(line, 127, "unknown command").err()).doesNotContain("did you mean");
    }

    /** A mount of what does not exist, and contradictions: one line says what is wrong, and near names are shown. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            mount nope DIR                | 3 | no such volume: 'nope'              | volsh volume list
            mount training-dat DIR        | 3 | no such volume: 'training-dat'      | did you mean: volsh mount training-data
            mount nope:/sub DIR           | 3 | no such volume: 'nope'              | volsh volume list
            ls training-dta:/             | 3 | no such volume: 'training-dta'      | did you mean: volsh ls training-data:/
            store show lak                | 3 | no such store: 'lak'                | did you mean: volsh store show lake
            umount --all DIR              | 2 | --all and a mount point exclude     | volsh umount DIR
            umount                        | 2 | missing mount point                 | volsh mounts list
            """)
    void whatIsMeantIsSaid(String line, int status, String words, String hint) {
        prepare();
        assertThat(refused(line.replace("DIR", directory.toString()), status, words).err())
                .contains(hint.replace("DIR", directory.toString()));
    }

    @Test
    void dryRunsFailAsTheRealThingWould() {
        prepare();
        refused("volume create training-data -n", 4, "exists already");
        refused("volume rename training-data training-data -n", 4, "exists already");
        refused("volume destroy nope -n", 3, "no such volume");
        refused("store add lake file:///x -n", 4, "exists already");
        refused("store add x s3://bucket --endpoint http://10.1.2.3 -n", 2, "plain http");
    }

    @Test
    void aMissingVolumeTellsWhereItWasLookedForAndWhatIsThere() {
        assertThat(refused("volume show data", 3, "no such volume: 'data'").err())
                .contains("the catalog in " + scratch.home() + "/state/catalog has no volumes",
                "hint: volsh volume create data");
        prepare();
        assertThat(refused("volume show data", 3, "no such volume: 'data'").err()).contains("has training-data");
    }

    @Test
    void nothingIsMadeInAHomeThatCannotBeUsed() throws Exception {
        Files.writeString(scratch.home(), "a file is in the way");
        Ended refused = refused("volume create a", 9,
                "the catalog cannot be read: " + scratch.home() + "/state/catalog");
        assertThat(refused.err()).contains("hint: or use another home: VOLSH_HOME=");
    }

    @Test
    void aHomeThatEverybodyMayWriteToIsRefused() throws Exception {
        prepare();
        Files.setPosixFilePermissions(scratch.home().resolve("state/catalog"),
                PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(refused("volume create a", 9, "the catalog cannot be written").err())
                .contains("it is world-writable");
    }

    @Test
    void aDamagedCatalogEntryHidesNoOther() throws Exception {
        prepare();
        assertThat(scratch.run("volume create other").status()).isZero();
        Path entry = scratch.home().resolve("state/catalog/volumes/training-data.json");
        for (String content : new String[] {"", "{", "{\"form\":\"9\"}", "\u0000\u0001"}) {
            Files.writeString(entry, content);
            refused("volume show training-data", 7, "the catalog entry of 'training-data' is damaged: " + entry);
            refused("volume destroy training-data --confirm training-data", 7, "damaged");
            refused("volume ensure training-data", 7, "damaged");
            refused("volume create training-data", 4, "exists already");
            Ended list = scratch.run("volume list -o name");
            assertThat(list.status()).isEqualTo(7);
            assertThat(list.out()).isEqualTo("other\n");
            assertThat(list.err()).contains("warning: the catalog entry of 'training-data' is damaged");
        }
    }

    @Test
    void missingMetadata() throws Exception {
        prepare();
        Path database = database();
        Files.delete(database);
        refused("volume show training-data", 6, "the metadata of volume 'training-data' is missing: " + database);
        refused("volume set training-data compression=none", 6, "is missing");
        refused("volume destroy training-data --confirm training-data", 6, "is missing");
        partial("df", "is missing");
        partial("volume list -o wide", "is missing");
        assertThat(scratch.run("volume list").status()).isZero();
        assertThat(scratch.run("volume destroy training-data --force --confirm training-data").status()).isZero();
        assertThat(scratch.run("volume list -o name").out()).isEmpty();
    }

    private void partial(String line, String warning) {
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line).isEqualTo(10);
        assertThat(ended.out()).contains("training-data");
        assertThat(ended.err()).startsWith("warning: ").contains(warning);
    }

    @Test
    void truncatedMetadata() throws Exception {
        prepare();
        for (long length : new long[] {5000, 100, 0}) {
            truncate(database(), length);
            refused("volume show training-data", 7, "metadata corrupt");
            partial("df", "metadata corrupt");
        }
        Files.writeString(database(), "x".repeat(8192));
        refused("volume show training-data", 7, "metadata corrupt");
        assertThat(scratch.run("volume destroy training-data --force --confirm training-data").status()).isZero();
    }

    private Path database() throws IOException {
        try (var found = Files.walk(scratch.home().resolve("state/volumes"))) {
            return found.filter(path -> path.endsWith("meta.db")).findFirst().orElseThrow();
        }
    }

    private static void truncate(Path file, long length) throws IOException {
        try (var opened = new RandomAccessFile(file.toFile(), "rw")) {
            opened.setLength(length);
        }
    }

    @Test
    void aStoreThatCannotBeWrittenLeavesNoVolume() throws Exception {
        prepare();
        Files.delete(directory.resolve("lake"));
        Files.writeString(directory.resolve("lake"), "a file is in the way");
        refused("store add other file://" + directory.resolve("lake"), 4, "lake");
        refused("volume create a --store lake", 1, "lake");
    }
}
