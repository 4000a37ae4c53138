package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.care.Garbage;
import volsh.catalog.Access;
import volsh.catalog.HistorySpan;
import volsh.catalog.Moment;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeDraft;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.history.Trees;
import volsh.lifecycle.AttachRequest;
import volsh.meta.Snapshot;
import volsh.vfs.ManualClock;
import volsh.vfs.Vfs;

/** Volumes read as they were, through the front door. */
@Tag("volume")
final class PastVolumeTest {
    private static final int LARGE = 150_000;

    @TempDir
    private Path directory;
    private final ManualClock clock = new ManualClock();
    private Path bucket;
    private StoreUrl url;
    private Machine machine;
    private Volumes volumes;

    @BeforeEach
    void create() throws IOException {
        bucket = directory.resolve("bucket");
        url = StoreUrl.of(bucket.toUri().toString());
        machine = new Machine(directory.resolve("first"));
        volumes = machine.volumes(clock);
        volumes.stores().add(Machine.STORE, url);
        volumes.create(VolumeDraft.named("data").withStore(Machine.STORE).shippingMetadata(true));
        clock.advance(Duration.ofSeconds(10));
    }

    private void write(String name, int seed, int length) throws IOException {
        try (var open = volumes.open("data", Access.WRITE, "test")) {
            Machine.write(open, name, Machine.bytes(seed, length));
        }
        clock.advance(Duration.ofSeconds(1));
    }

    private void delete(String name) throws IOException {
        try (var open = volumes.open("data", Access.WRITE, "test")) {
            open.vfs().unlink(Vfs.ROOT, Name.of(name));
        }
        clock.advance(Duration.ofSeconds(1));
    }

    private static byte[] read(Volume volume, String path) throws IOException {
        var found = volume.paths().resolve(path);
        var bytes = ByteBuffer.allocate((int) found.size());
        try (var file = volume.vfs().open(found.ino())) {
            file.read(0, bytes);
        }
        return bytes.array();
    }

    private Garbage collect() throws IOException {
        clock.advance(Duration.ofSeconds(5));
        return volumes.upkeep().collect("data", Duration.ofHours(24), false, Garbage.Watcher.NONE);
    }

    private long objects() throws IOException {
        try (var files = Files.walk(bucket)) {
            return files.filter(path -> Files.isRegularFile(path) && path.toString().contains("/blocks/")).count();
        }
    }

    @Test
    void aSnapshotKeepsTheBytesUntilItAndItsReadersAreGone() throws IOException {
        write("f", 1, LARGE);
        var snapshot = volumes.snapshots().create("data", "v1", "first");
        clock.advance(Duration.ofSeconds(1));
        delete("f");
        write("f", 2, LARGE);
        collect();
        assertThat(objects()).isEqualTo(2);
        try (var past = volumes.open(OpeningRequest.past("data", new Moment.Named("v1"), "test"))) {
            assertThat(read(past, "/f")).isEqualTo(Machine.bytes(1, LARGE));
            assertThatThrownBy(() -> past.vfs().unlink(Vfs.ROOT, Name.of("f"))).isInstanceOf(FsException.class)
                    .hasMessageContaining("read-only");
            volumes.snapshots().destroy("data", snapshot.name());
            collect();
            assertThat(read(past, "/f")).as("somebody reads it").isEqualTo(Machine.bytes(1, LARGE));
        }
        var foreseen = volumes.upkeep().checkCollect("data", Duration.ofHours(24), false, Garbage.Watcher.NONE);
        assertThat(foreseen.bytes()).isGreaterThan(100_000);
        assertThat(collect()).isEqualTo(foreseen);
        assertThat(objects()).isEqualTo(1);
        assertThat(volumes.upkeep().checkCollect("data", Duration.ofHours(24), false, Garbage.Watcher.NONE))
                .isEqualTo(new Garbage(0, 0, 0, 0, 0, 0, Garbage.CutOff.NONE));
        try (var now = volumes.open("data", Access.READ, "test")) {
            assertThat(read(now, "/f")).isEqualTo(Machine.bytes(2, LARGE));
        }
    }

    @Test
    void aTimeThatWasNotKeptIsRefusedWithTheEarliestThatWas() throws IOException {
        var before = clock.instant().minusSeconds(5);
        assertThat(refusal(before).getMessage()).contains("keeps no history but its snapshots");
        volumes.snapshots().keep("data", HistorySpan.of("1h"));
        assertThat(volumes.status("data").history().kept()).isEqualTo(HistorySpan.of("1h"));
        assertThat(refusal(before).getMessage()).isEqualTo(
                "the history of volume 'data' begins at 2030-01-01T00:00:10Z: 2030-01-01T00:00:05Z cannot be read");
        assertThat(refusal(before).hints()).contains("volsh ls data:/ --at 2030-01-01T00:00:10Z");
        assertThat(refusal(clock.instant().plusSeconds(100)).reason()).isEqualTo(Reason.INVALID);
        clock.advance(Duration.ofHours(2));
        write("later", 1, 10);
        assertThat(refusal(Instant.parse("2030-01-01T00:00:11Z")).getMessage())
                .contains("begins at 2030-01-01T01:00:11Z");
        assertThatThrownBy(() -> volumes.open(OpeningRequest.past("data", new Moment.Named("none"), "test")))
                .hasMessage("volume 'data' has no snapshot 'none'");
        assertThat(volumes.status("data").sessions()).as("a refusal leaves no session").isEmpty();
    }

    private Refusal refusal(Instant time) {
        return catchThrowableOfType(Refusal.class,
                () -> volumes.open(OpeningRequest.past("data", new Moment.Time(time), "test")));
    }

    @Test
    void whatWasDeletedComesBackWithoutItsDataBeingCopied() throws IOException {
        volumes.snapshots().keep("data", HistorySpan.FOREVER);
        write("f", 1, LARGE);
        delete("f");
        collect();
        long objects = objects();
        try (var target = volumes.open("data", Access.WRITE, "test")) {
            long seen = target.versions().lastSeen(Vfs.ROOT, Name.of("f")).orElseThrow().tick();
            try (var past = volumes.open(OpeningRequest.past("data", new Moment.Time(Instant.ofEpochSecond(seen)),
                    "test"))) {
                target.copies(past).copy(past.paths().resolve("/f").ino(), Vfs.ROOT, Name.of("f"), false,
                        Trees.Watcher.NONE);
            }
            assertThat(read(target, "/f")).isEqualTo(Machine.bytes(1, LARGE));
        }
        assertThat(objects()).isEqualTo(objects);
        try (var open = volumes.open("data", Access.NAMES, "test")) {
            assertThat(open.versions().of(List.of(Name.of("f")))).hasSizeGreaterThanOrEqualTo(2);
            assertThat(open.versions().of(List.of(Name.of("f"))).getLast().end()).isEmpty();
        }
    }

    @Test
    void snapshotsAndHistoryAreThereAfterTheMachineIsLost() throws IOException {
        volumes.snapshots().keep("data", HistorySpan.of("30d"));
        write("f", 1, LARGE);
        var between = clock.instant();
        clock.advance(Duration.ofSeconds(1));
        delete("f");
        volumes.snapshots().create("data", "v1", "before the fire");
        write("g", 2, LARGE);
        delete("g");
        machine.lose();
        var second = new Machine(directory.resolve("second"));
        var there = second.volumes(clock);
        there.attaching().attach(new AttachRequest(url, Optional.of("data"), Optional.empty(), Optional.empty(), false),
                AttachRequest.Watcher.NONE);
        assertThat(there.snapshots().list("data")).extracting(Snapshot::name, Snapshot::label)
                .containsExactly(tuple("v1", "before the fire"));
        assertThat(there.snapshots().history("data").kept()).isEqualTo(HistorySpan.of("30d"));
        try (var past = there.open(OpeningRequest.past("data", new Moment.Time(between), "test"))) {
            assertThat(read(past, "/f")).isEqualTo(Machine.bytes(1, LARGE));
        }
        try (var past = there.open(OpeningRequest.past("data", new Moment.Named("v1"), "test"))) {
            assertThat(past.vfs().list(Vfs.ROOT, null, 10)).isEmpty();
        }
    }

    @Test
    void objectsThatNothingNamesGoIfTheyAreOldAndNobodys() throws IOException {
        write("f", 1, LARGE);
        Path object;
        try (var files = Files.walk(bucket)) {
            object = files.filter(path -> path.toString().matches(".*/blocks/../[0-9a-f]{16}")).findFirst()
                    .orElseThrow();
        }
        long id = Long.parseLong(object.getFileName().toString(), 16);
        Path stray = stray(object, id + 1);
        Path never = stray(object, id + 5_000_000);
        var old = FileTime.from(clock.instant().minus(Duration.ofDays(2)));
        Files.setLastModifiedTime(never, old);
        Files.setLastModifiedTime(stray, FileTime.from(clock.instant()));
        var spared = collect();
        assertThat(spared.spared()).as("too young; never given out").isEqualTo(2);
        assertThat(spared.count()).isZero();
        assertThat(spared.left().young()).isEqualTo(1);
        Files.setLastModifiedTime(stray, old);
        try (var open = volumes.open("data", Access.WRITE, "test")) {
            Machine.write(open, "g", Machine.bytes(3, LARGE));   // takes a range of numbers
            Path mine;
            try (var files = Files.walk(bucket)) {
                mine = stray(object, files.filter(path ->
                        path.toString().matches(".*/blocks/../[0-9a-f]{16}") && !path.equals(never))
                        .mapToLong(path -> Long.parseLong(path.getFileName().toString(), 16)).max().orElseThrow() + 1);
            }
            Files.setLastModifiedTime(mine, old);
            var collected = collect();
            assertThat(collected.objects()).isEqualTo(1);
            assertThat(collected.spared()).as("of who is writing, and never given out").isEqualTo(2);
            assertThat(stray).doesNotExist();
            assertThat(mine).exists();
        }
        assertThat(collect().objects()).as("its writer is gone").isEqualTo(1);
        try (var now = volumes.open("data", Access.READ, "test")) {
            assertThat(read(now, "/f")).isEqualTo(Machine.bytes(1, LARGE));
            assertThat(read(now, "/g")).isEqualTo(Machine.bytes(3, LARGE));
        }
    }

    private static Path stray(Path object, long id) throws IOException {
        var name = "%016x".formatted(id);
        var place = object.getParent().getParent().resolve(name.substring(14)).resolve(name);
        Files.createDirectories(place.getParent());
        return Files.copy(object, place);
    }

    @Test
    void aClockThatJumpedStopsTheCollectionUnlessItIsTrusted() throws IOException {
        volumes.snapshots().keep("data", HistorySpan.of("30d"));
        write("f", 1, 100);
        clock.advance(Duration.ofDays(400));
        var refused = catchThrowableOfType(Refusal.class, this::collect);
        assertThat(refused.reason()).isEqualTo(Reason.CONFLICT);
        assertThat(refused.details().getFirst()).contains("may have jumped");
        volumes.upkeep().collect("data", Duration.ofHours(24), true, Garbage.Watcher.NONE);
    }
}
