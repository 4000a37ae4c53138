package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.engine.MetaEngineContract.put;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.meta.ChildJvm;

/** What the system sees of commits and syncs: counted in a trace of the system calls. */
final class SqliteSyncTest {
    private static final Pattern SYNC = Pattern.compile(" f(?:data)?sync\\(\\d+<[^>]*/([^/>]+)>");

    @TempDir
    Path directory;

    private Path path;

    @BeforeEach
    void create() throws Exception {
        Assumptions.assumeTrue(canTrace(), "strace is missing or may not trace here");
        path = directory.resolve("meta.db");
        SqliteMetaEngine.create(path).close();
    }

    private static boolean canTrace() throws InterruptedException {
        try {
            return new ProcessBuilder("strace", "-o", "/dev/null", "true").start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    @Test
    void syncsReachTheDiskAndCommitsDoNotWaitForIt() throws Exception {
        var trace = directory.resolve("trace");
        var strace = List.of("strace", "-f", "-y", "-o", trace.toString(), "-e", "trace=fsync,fdatasync,/stat,/access");
        try (var child = ChildJvm.start(strace, directory, SyncingProcess.class, path, "count")) {
            assertThat(child.exitCode()).isZero();
        }
        var lines = Files.readAllLines(trace);
        assertThat(syncs(lines, "commits", "syncs-of-something")).as("100 commits").isZero();
        assertThat(syncs(lines, "syncs-of-something", "syncs-of-nothing")).as("sync after commits").isEqualTo(1);
        assertThat(syncs(lines, "syncs-of-nothing", "shared-syncs")).as("5 syncs though nothing changed").isEqualTo(5);
        assertThat(syncs(lines, "shared-syncs", "end")).as("80 syncs of 8 threads").isBetween(10L, 79L);
        assertThat(synced(lines.subList(mark(lines, "end"), lines.size()))).as("the checkpoint of the close")
                .containsSubsequence("meta.db-wal", "meta.db");
    }

    /** How often the log reached the disk between two marks. */
    private static long syncs(List<String> lines, String from, String to) {
        int start = mark(lines, from);
        int end = mark(lines, to);
        assertThat(start).isNotNegative().isLessThan(end);
        return synced(lines.subList(start, end)).stream().filter("meta.db-wal"::equals).count();
    }

    /** The names of the files that were synced, in order. */
    private static List<String> synced(List<String> lines) {
        return lines.stream().map(SYNC::matcher).filter(Matcher::find).map(sync -> sync.group(1)).toList();
    }

    private static int mark(List<String> lines, String name) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains("/volsh-mark-" + name + "\"")) {
                return i;
            }
        }
        return -1;
    }

    @Test
    void afterAFailedSyncNothingMoreIsWritten() throws Exception {
        // This engine keeps the log in use, so the child's first commit does not have to sync the start of a new one.
        try (var engine = SqliteMetaEngine.open(path)) {
            put(engine, "b", "1");
            assertThat(runWithFailingSync()).satisfiesExactly(
                    first -> assertThat(first).isEqualTo("transact: fine"),
                    sync -> assertThat(sync).contains("syncing the metadata to the disk failed")
                            .contains(path.toString()), again -> assertThat(again).contains("a sync failed"), write ->
                    assertThat(write).contains("a sync failed"), read -> assertThat(read).isEqualTo("read: fine"));
        }
    }

    @Test
    void aFailedSyncWithinACommitFailsTheCommit() throws Exception {
        assertThat(runWithFailingSync()).satisfiesExactly(
                first -> assertThat(first).contains("the disk reported an error").contains(path.toString()),
                sync -> assertThat(sync).contains("a sync failed"),
                again -> assertThat(again).contains("a sync failed"),
                write -> assertThat(write).contains("a sync failed"),
                read -> assertThat(read).isEqualTo("read: fine"));
    }

    private List<String> runWithFailingSync() throws Exception {
        var strace = List.of("strace", "-f", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e",
                "inject=fsync,fdatasync:error=EIO");
        try (var child = ChildJvm.start(strace, directory, SyncingProcess.class, path, "fail")) {
            return child.lines();
        }
    }
}
