package volsh;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import volsh.hang.Eventually;

/** What the sources of all tests keep to: they wait with {@link Eventually}, and say of which kind they are. */
final class TestSourcesTest {
    private static final Pattern PAUSE = Pattern.compile(
            "Thread\\.(sleep|onSpinWait|yield)\\(|LockSupport\\.park|TimeUnit\\.[A-Z]+\\.sleep\\(");

    private static final String MOMENT = "something is killed, or its power cut, at a moment nobody chose";
    private static final String SLOW = "what is tested takes a while, as disks and stores do";
    private static final String SWITCH = "hands the processor to another thread in the middle of a race";
    private static final String PROGRAM = "is no wait of a test: a program that runs until it is stopped";

    /** Files that may pause, and why. A wait for something that happens is none of the reasons. */
    private static final Map<String, String> MAY_PAUSE = Map.ofEntries(
            entry("hang/Eventually", "is what others wait with"),
            entry("hang/Watchdog", "looks ten times a second"),
            entry("hang/TestLimitTest", "shows that a while may pass"),
            entry("fuse/MountKillTest", MOMENT),
            entry("fuse/PowerLossTest", MOMENT),
            entry("checkpoint/ShardedTest", MOMENT),
            entry("checkpoint/CheckpointKillTest", MOMENT),
            entry("engine/sqlite/SqliteKillTest", MOMENT),
            entry("engine/sqlite/SqliteProcessesTest", MOMENT),
            entry("command/doctor/BusyDisk", SLOW),
            entry("cache/MemoryCacheTest", SLOW),
            entry("vfs/PressureTest", SLOW),
            entry("bench/loader/LoaderBenchTest", SLOW),
            entry("s3test/FaultProxy", SLOW),
            entry("volume/StoreKilledTest", "a client whose call failed does not try again at once"),
            entry("engine/CarelessEngineTest", SWITCH),
            entry("engine/MetaEngineRaces", SWITCH),
            entry("block/ThrottledTest", SWITCH),
            entry("care/BlockWorkersTest", SWITCH),
            entry("fuse/MountedProcess", PROGRAM),
            entry("volume/AttachTest", PROGRAM),
            entry("system/SystemTest", PROGRAM),
            entry("shell/SlowProgram", PROGRAM),
            entry("shell/SignalsTest", PROGRAM),
            entry("prompt/SessionTest", PROGRAM),
            entry("fuse/ExpiryTest", "the kernel's own clock forgets names; a try that took too long does not count"),
            entry("command/mount/LeavingMountsTest",
                    "a store looks for orders at a call that is 100 ms after the last look"),
            entry("volume/PlacedVolumesTest", "a store looks for orders at a call that is 100 ms after the last look"));

    /** Kinds that say with which others a class runs: it has at most one. */
    private static final Set<String> PLACES = 
            Set.of("architecture", "model", "volume", "disk", "mount", "wait", "memory");
    /** Kinds that say that a failure may be a lost byte; as of models, it is not asked again. */
    private static final Set<String> LOSSES = Set.of("crash", "data");
    private static final Pattern TAG = Pattern.compile("^( *)@Tag\\(\"?([\\w.]+)\"?\\)", Pattern.MULTILINE);

    /** Names that say a kind; so nobody forgets it. */
    private static final Map<Pattern, Set<String>> BY_NAME = Map.of(
            Pattern.compile("^fuse/.*"), Set.of("mount", "model"),
            Pattern.compile("^place/.*"), Set.of("wait"),
            Pattern.compile("^(block/s3|ship|volume|lifecycle|maintain|care|pack|writeback|assembly|catalog)/.*"),
            Set.of("volume", "model", "wait"),
            Pattern.compile(".*(Model|Simulation|Race|Fuzz)[A-Za-z]*Test"), Set.of("model"),
            Pattern.compile(".*(Crash|Kill|PowerLoss)[A-Za-z]*Test"), Set.of("crash"),
            Pattern.compile("image/.*MemoryTest"), Set.of("memory"),
            Pattern.compile(".*(Rot|Fsx|Differential|Faults|RoundTrip|Golden|Format|Durability|Journal|TwoMounts"
                    + "|Restart|LostAnswer)[A-Za-z0-9]*Test"),
            Set.of("model", "crash", "data"));

    /** The text of each source of a test, by its path below {@code volsh}, without its ending. */
    private static Map<String, String> sources() throws IOException {
        var project = Path.of(System.getProperty("volsh.project", "")).toAbsolutePath();
        var sources = new TreeMap<String, String>();
        for (var root : List.of("storage-core/src/testFixtures", "storage-core/src/test", "commands/src/test",
                "shell/src/test", "shell/src/imageTest")) {
            var directory = project.resolve(root).resolve("java/volsh");
            try (var files = Files.walk(directory)) {
                for (var file : files.filter(each ->
                        each.toString().endsWith(".java") && !each.endsWith("TestSourcesTest.java")).toList()) {
                    sources.put(directory.relativize(file).toString().replace(".java", ""), Files.readString(file));
                }
            }
        }
        return sources;
    }

    @Test
    void waitsEndAndSayWhatFor() throws IOException {
        var pausing = new TreeSet<String>();
        sources().forEach((name, text) -> {
            if (PAUSE.matcher(text).find()) {
                pausing.add(name);
            }
        });
        assertThat(pausing).as("wait with volsh.hang.Eventually; MAY_PAUSE has the exceptions")
                .isEqualTo(new TreeSet<>(MAY_PAUSE.keySet()));
    }

    @Test
    void theirKindsAreKnownAndAsTheirNamesSay() throws IOException {
        var wrong = new ArrayList<String>();
        var found = new TreeSet<String>();
        sources().forEach((name, text) -> {
            var kinds = TAG.matcher(text).results().map(tag -> tag.group(2))
                    .collect(Collectors.toCollection(TreeSet::new));
            found.addAll(kinds);
            if (!kinds.isEmpty() && (!name.endsWith("Test")
                    || TAG.matcher(text).results().anyMatch(tag -> !tag.group(1).isEmpty()))) {
                wrong.add(name + ": kinds are of whole classes, which ./check finds by their name");
            }
            if (kinds.stream().filter(PLACES::contains).count() > 1) {
                wrong.add(name + ": more than one of " + PLACES);
            }
            BY_NAME.forEach((pattern, any) -> {
                if (name.endsWith("Test") && pattern.matcher(name).matches()
                        && any.stream().noneMatch(kinds::contains)) {
                    wrong.add("%s: none of %s".formatted(name, any));
                }
            });
        });
        assertThat(wrong).isEmpty();
        found.removeAll(PLACES);
        assertThat(found).as("kinds ./check does not know").isEqualTo(LOSSES);
    }
}
