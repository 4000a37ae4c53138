package volsh.command.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.TestHost;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rendering;
import volsh.command.render.Rows;
import volsh.command.render.View;
import volsh.command.tree.Scratch;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.inventory.JournalRow;
import volsh.inventory.Journals;
import volsh.mount.AtRisk;
import volsh.s3test.S3Gate;
import volsh.s3test.S3Server;

/** One screen that says how this machine is, and an exit code that says it to programs. */
final class StatusTest {
    private static final int TRIES = 20;

    @TempDir
    Path directory;
    private Scratch scratch;

    @BeforeEach
    void home() throws Exception {
        scratch = new Scratch(directory.resolve("home"));
    }

    /** On a busy machine, what is well may not answer in time either: then it is asked again. */
    private void says(String line, int status, String... expected) {
        var ended = scratch.run(line);
        for (int tries = 1; tries < TRIES
                && (ended.status() != status || !Stream.of(expected).allMatch(ended.out()::contains)); tries++) {
            ended = scratch.run(line);
        }
        assertThat(ended.out()).contains(expected);
        assertThat(ended.status()).isEqualTo(status);
    }

    private void ok(String line) {
        var ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
    }

    @Test
    void allIsWell() {
        ok("store add disk file://" + directory.resolve("disk"));
        ok("volume create data --store disk");
        says("status -o csv --columns kind,name,health", 0, "volume,data,ok\n", "store,disk,ok\n",
                "store,default,ok\n");
        assertThat(scratch.run("status").err()).isEqualTo("all is well\n");
        assertThat(scratch.run("status -o json").err()).isEmpty();
        assertThat(scratch.run("status -q").err()).isEmpty();
    }

    private Scratch.Ended atTerminal(String line) {
        return scratch.run(new TestHost().terminal(1000).with("NO_COLOR", "1"), line);
    }

    /** A table of what is wrong is read; programs, and those who ask, get everything. */
    @Test
    void aLongListHidesWhatIsHealthy() throws Exception {
        for (int i = 0; i < Status.SHORT; i++) {
            ok("store add s%d file://%s".formatted(i, directory.resolve("s" + i)));
        }
        ok("volume create data --store s7");
        int all = Status.SHORT + 2;
        Files.move(directory.resolve("s7"), directory.resolve("elsewhere"));
        var table = atTerminal("status");
        assertThat(table.err()).contains("the table leaves out %d healthy objects; to see them: volsh status --all"
                .formatted(all - 2));
        assertThat(table.out().lines()).hasSize(1 + 2).anyMatch(line -> line.contains("s7"));
        for (String chosen : List.of("status --sort name", "status --columns name,health",
                "status --where name!='x'")) {
            assertThat(atTerminal(chosen).out().lines()).as(chosen).hasSize(1 + all);
        }
        assertThat(scratch.run("status").out().lines()).as("another program reads it").hasSize(1 + all);
        assertThat(atTerminal("status --all").out().lines()).hasSize(1 + all);
        assertThat(atTerminal("status -o wide").out().lines()).hasSize(1 + all);
        assertThat(scratch.run("status -o csv").out().lines()).hasSize(1 + all);
        assertThat(scratch.run("status --where health=='ok' -o name").out().lines()).hasSize(all - 2);
        ok("store remove s8");
        ok("store remove s9");
        assertThat(scratch.run("status").out().lines()).as("as many as fit").hasSize(1 + all - 2);
    }

    @Test
    void theCommandToRunIsWholeInANarrowWindow() throws Exception {
        var next = "volsh umount --discard --dry-run /mnt/training-data-of-the-vision-team";
        var row = StatusRow.of("mount", "/mnt/training-data-of-the-vision-team", Health.UNAVAILABLE,
                "timed out twice after 5s", next);
        for (int width : new int[] {40, 60, 80}) {
            var view = new View(OutputFormat.TABLE, List.of(), "", true, () -> ZoneOffset.UTC, width, true, false,
                    true);
            var table = new StringWriter();
            Rendering.print(Rows.of(StatusRow.COLUMNS, List.of(row)), view, table);
            assertThat(table.toString()).as("%d columns", width)
                    .contains("\n  next: " + next + "\n", row.name());
        }
    }

    @Test
    void aStoreWhoseDirectoryIsGoneIsTold() throws Exception {
        ok("store add disk file://" + directory.resolve("disk"));
        ok("volume create data --store disk");
        Files.move(directory.resolve("disk"), directory.resolve("elsewhere"));
        says("status -o json", 6, "\"health\": \"unavailable\"", "is missing", "volsh store probe disk");
        assertThat(scratch.run("status").err())
                .isEqualTo("2 problems: store disk is unavailable, and 1 more; next: volsh store probe disk\n");
    }

    /** The record of a volume, of a store, or of a mount: the others are as they are. */
    @Test
    void aDamagedRecordIsOneRow() throws Exception {
        ok("store add disk file://" + directory.resolve("disk"));
        ok("store add other file://" + directory.resolve("other"));
        ok("volume create first --store disk");
        ok("volume create second --store other");
        var catalog = scratch.homes().state().resolve("catalog");
        var volume = catalog.resolve("volumes/first.json");
        var whole = Files.readAllBytes(volume);
        Files.writeString(volume, "{\"name\": \"fir");
        says("status -o csv --columns kind,name,health", 7, "volume,first,damaged\n", "volume,second,ok\n",
                "store,default,ok\n", "store,disk,ok\n", "store,other,ok\n");
        says("volume list -o value:name", 7, "second\n");
        says("df -o value:volume", 7, "second\n");
        says("store list -o value:name", 0, "default\n", "disk\n", "other\n");
        says("store show disk -o value:name", 0, "disk");
        Files.write(volume, whole);
        Files.writeString(catalog.resolve("stores/disk.json"), "");
        says("status -o csv --columns kind,name,health", 7, "volume,first,ok\n", "volume,second,ok\n",
                "store,disk,damaged\n", "store,other,ok\n");
        says("store list -o value:name", 7, "default\n", "other\n");
        assertThat(scratch.run("store list").err()).contains("catalog/stores/disk.json");
        says("df -o value:volume", 7, "first\n", "second\n");
        says("volume list -o value:name", 0, "first\n", "second\n");
        var mounts = Files.createDirectories(scratch.homes().run().resolve("mounts"));
        Files.write(mounts.resolve("x.mount"), new byte[] {(byte) 0xff, 1, 2});
        says("status -o csv --columns kind,health", 7, "mount,damaged\n", "volume,ok\n");
        var listed = scratch.run("mounts list");
        assertThat(listed.status()).isEqualTo(7);
        assertThat(listed.err()).contains("x.mount");
    }

    /** A host died before it had counted what waits in its journal: that nobody knows how much it is, is no comfort. */
    @Test
    void aJournalThatIsLostIsTold() throws Exception {
        ok("volume create data");
        var database = scratch.homes().state()
                .resolve("volumes/%s/meta.db".formatted(scratch.volumes().find("data").id()));
        try (var engine = SqliteMetaEngine.open(database)) {
            new Journals(engine).put(JournalRow.opened(UUID.randomUUID(), "node7", "/gone/journal", Instant.EPOCH));
        }
        says("status -o json", 11, "\"health\": \"at risk\"", "node7:/gone/journal on another machine",
                "volsh volume check data --repair --lost-journals");
        assertThat(scratch.run("volume check data --lost-journals").status()).isEqualTo(2);
        assertThat(scratch.run("volume check data --repair --lost-journals -n").out())
                .contains("give up", "node7:/gone/journal");
        assertThat(scratch.run("volume check data --repair --lost-journals -y").err()).contains("--confirm data");
        ok("volume check data --repair --lost-journals --confirm data");
        says("status -o csv --columns kind,name,health", 0, "volume,data,ok\n");
    }

    /** STORED counts it, and STAGED says that the store does not have it. */
    @Test
    void whatWaitsInJournalsIsStaged() throws Exception {
        ok("volume create data");
        var database = scratch.homes().state()
                .resolve("volumes/%s/meta.db".formatted(scratch.volumes().find("data").id()));
        try (var engine = SqliteMetaEngine.open(database)) {
            new Journals(engine).put(JournalRow.opened(UUID.randomUUID(), "node7", "/gone/journal", Instant.EPOCH)
                    .counted(Instant.EPOCH, 4, 200_000, Instant.EPOCH));
        }
        assertThat(scratch.run("volume show data").out()).containsPattern("staged +195.3KiB");
        assertThat(scratch.run("df data -o json").out()).contains("\"stagedBytes\": 200000");
    }

    @Test
    void aStoreThatDoesNotAnswerIsNotWaitedFor() {
        ok("store add away s3://nobody --anonymous --endpoint http://127.0.0.1:1");
        ok("volume create data");
        says("status --timeout 1s -o csv --columns kind,name,health", 6, "store,away,unavailable\n",
                "volume,data,ok\n");
    }

    /**
     * On a busy machine the first answer may come too late, from a store that answers others at once: it is asked again
     * before it is called unavailable.
     */
    @Test
    void aStoreThatWasSlowOnceIsNotUnavailable() throws Exception {
        try (var gate = new S3Gate(S3Server.shared())) {
            ok("store add slow s3://%s --anonymous --endpoint %s".formatted(S3Server.shared().newBucket(),
                    gate.endpoint()));
            says("status -o csv --columns name,health", 0, "slow,ok");
            var ended = scratch.run("status");
            for (int tries = 0; tries < TRIES && !ended.out().contains("slow: answered after"); tries++) {
                gate.stall(1);
                ended = scratch.run("status --timeout 1s -o csv --columns name,health,about");
            }
            assertThat(ended.out()).contains("slow,ok", "slow: answered after");
            assertThat(ended.status()).isZero();
            gate.stall(1000);
            assertThat(scratch.run("status --timeout 1s -o csv --columns name,health,about").out())
                    .contains("slow,unavailable,timed out twice after 1s");
        }
    }

    @Test
    void theWorstCounts() {
        assertThat(Health.AT_RISK.worse(Health.OK)).isEqualTo(Health.AT_RISK);
        assertThat(Health.AT_RISK.worse(Health.DAMAGED).exit().status()).isEqualTo(7);
        assertThat(Health.AT_RISK.exit().status()).isEqualTo(11);
    }

    @Test
    void whatIsAtRiskInWords() {
        var now = Instant.parse("2026-01-01T00:01:00Z");
        assertThat(AtRisk.NOTHING.line(now)).isEqualTo("nothing");
        assertThat(new AtRisk(3 << 20, 2, Optional.of(now.minusSeconds(12))).line(now))
                .isEqualTo("3MiB, 2 commits, for 12s");
        assertThat(new AtRisk(5, 1, Optional.empty()).line(now)).isEqualTo("5B, 1 commit");
        assertThat(new AtRisk(0, 1, Optional.of(now.plusSeconds(5))).age(now)).as("a clock that went back")
                .isEqualTo(Duration.ZERO);
    }
}
