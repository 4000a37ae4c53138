package volsh;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/SEMANTICS.md promises is held by tests on the engines that people use, not only by one in memory. */
final class PromisesTest {
    private static final Pattern TEST = Pattern.compile("`([A-Z][A-Za-z0-9]*Test)\\b");
    private static final Pattern IN_MEMORY = Pattern.compile("new MemoryMetaEngine\\(|MemoryMetaEngine::new");
    private static final Pattern ELSEWHERE = Pattern.compile(
            "@OnEveryEngine|@OnPostgres|SqliteMetaEngine|PostgresMetaEngine|ContractVolume|new Volumes\\(");

    /** Tests that stay in memory, by their path below the tests of this module, and why. */
    private static final Map<String, String> EXEMPT = Map.of(
            "meta/SessionsTest", "cuts the power of an engine; SqliteKillTest and RestartTest do it to real ones",
            "checkpoint/CheckpointCrashTest",
            "cuts the power at every transaction; CheckpointKillTest kills processes on SQLite",
            "ship/PowerLossTest", "cuts the power at every step; fuse/PowerLossTest does it to SQLite",
            "ship/ReplayTest",
            "thousands of restores; AttachTest and ShipRaceTest ship SQLite, and nobody ships PostgreSQL",
            "ship/DamageTest", "is about objects of the store",
            "meta/MetadataAuditTest", "tests a test's own tool",
            "checkpoint/CheckpointScaleTest",
            "hundreds of syncs of a disk; CheckpointsTest and CheckpointKillTest are on SQLite",
            "warm/WarmScaleTest", "is about caches; JobTest is on PostgreSQL",
            "fuse/AdviceTest", "is about caches; the rows of its rules are those of ConsistencyTest",
            "fuse/ExpiryTest", "tells by itself what PostgreSQL tells in FollowingEngineTest and SharedMountsTest");

    private static Path project() {
        return Path.of(System.getProperty("volsh.project", "")).toAbsolutePath();
    }

    private static Path tests() {
        return project().resolve("storage-core/src/test/java/volsh");
    }

    @Test
    void theyAreHeldOnRealEngines() throws IOException {
        var named = new TreeSet<String>();
        TEST.matcher(Files.readString(project().resolve("docs/SEMANTICS.md"))).results()
                .forEach(found -> named.add(found.group(1)));
        assertThat(named).hasSizeGreaterThan(100);
        var found = new TreeSet<String>();
        try (var files = Files.walk(tests())) {
            for (var file : files.filter(each -> each.toString().endsWith("Test.java")).toList()) {
                var path = tests().relativize(file).toString().replace(".java", "");
                if (named.contains(path.substring(path.lastIndexOf('/') + 1))
                        && isOnlyInMemory(Files.readString(file))) {
                    found.add(path);
                }
            }
        }
        found.removeAll(EXEMPT.keySet());
        assertThat(found).as("tests that SEMANTICS names and that know no engine but the one in memory: "
                + "annotate them with @OnEveryEngine").isEmpty();
    }

    private static boolean isOnlyInMemory(String source) {
        return IN_MEMORY.matcher(source).find() && !ELSEWHERE.matcher(source).find();
    }

    @Test
    void whoIsExemptNeedsIt() throws IOException {
        for (var path : EXEMPT.keySet()) {
            assertThat(isOnlyInMemory(Files.readString(tests().resolve(path + ".java")))).as(path).isTrue();
        }
    }

    @Test
    void oneThatIsOnlyInMemoryIsNoticed() {
        assertThat(isOnlyInMemory("engine = new MemoryMetaEngine();")).isTrue();
        assertThat(isOnlyInMemory("@OnEveryEngine class X { var copy = new MemoryMetaEngine(); }")).isFalse();
        assertThat(isOnlyInMemory("engine = SqliteMetaEngine.create(path);")).isFalse();
    }
}
