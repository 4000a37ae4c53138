package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.MissingStoreException;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.fs.Name;
import volsh.lifecycle.AttachRequest;
import volsh.lifecycle.DestructionWatcher;
import volsh.meta.ChildJvm;
import volsh.ship.AttachedElsewhereException;
import volsh.ship.DamagedShipmentException;
import volsh.ship.Shipping;
import volsh.vfs.Vfs;

/** A volume comes back on a machine that has nothing but its store. */
@Tag("volume")
final class AttachTest {
    @TempDir
    Path directory;
    private Path bucket;
    private StoreUrl url;
    private Machine first;
    private Machine second;

    @BeforeEach
    void machines() {
        bucket = directory.resolve("bucket");
        url = StoreUrl.of(bucket.toUri().toString());
        first = new Machine(directory.resolve("first"));
        second = new Machine(directory.resolve("second"));
    }

    private VolumeSpec attach(Machine machine) throws IOException {
        return machine.volumes().attaching().attach(AttachRequest.of(url), AttachRequest.Watcher.NONE);
    }

    @Test
    void everythingComesBackAfterTheMachineIsLost() throws Exception {
        var made = first.create("data", url);
        first.volumes().set("data", spec -> spec.withLabel("team", "vision"));
        for (int i = 0; i < 20; i++) {
            first.write("data", "file-" + i, Machine.bytes(i, i * 20_000));
        }
        first.delete("data", "file-3");
        var files = first.files("data");
        first.lose();

        var spec = attach(second);
        assertThat(spec).isEqualTo(made.withLabel("team", "vision"));
        assertThat(second.volumes().find("data")).isEqualTo(spec);
        assertThat(second.volumes().stores().find(Machine.STORE).url()).isEqualTo(url);
        assertThat(second.files("data")).isEqualTo(files).hasSize(19);
        second.write("data", "new", Machine.bytes(99, 100_000));
        var third = new Machine(directory.resolve("third"));
        third.volumes().attaching().attach(new AttachRequest(url, Optional.of("data"), Optional.of("mine"),
                Optional.of("pond"), false), AttachRequest.Watcher.NONE);
        assertThat(third.files("mine")).isEqualTo(second.files("data")).hasSize(20);
        assertThat(third.volumes().find("mine").store()).isEqualTo("pond");
        assertThat(third.volumes().status("mine").shipping().orElseThrow().epoch()).isEqualTo(2);
    }

    @Test
    void theFormerHostChangesAndDestroysNothingAnyMore() throws Exception {
        first.create("data", url);
        first.write("data", "one", Machine.bytes(1, 200_000));
        attach(second);
        assertThatThrownBy(() -> first.write("data", "two", Machine.bytes(2, 200_000)))
                .isInstanceOf(AttachedElsewhereException.class).hasMessageContaining("attached elsewhere");
        assertThatThrownBy(() -> first.write("data", "three", new byte[10]))
                .isInstanceOfSatisfying(Refusal.class,
                        refusal -> assertThat(refusal.reason()).isEqualTo(Reason.CONFLICT));
        assertThatThrownBy(() -> first.volumes().rename("data", "other")).isInstanceOf(Refusal.class);
        assertThat(first.files("data")).as("it can still be read").containsOnlyKeys("one", "two");
        var before = second.files("data");
        first.volumes().destroy("data", false);
        assertThat(first.volumes().names()).isEmpty();
        assertThat(second.files("data")).isEqualTo(before).containsOnlyKeys("one");
        second.write("data", "four", Machine.bytes(4, 300_000));
        assertThat(second.files("data")).containsOnlyKeys("one", "four");
    }

    @Test
    void aDestroyedVolumeLeavesNothingToAttach() throws Exception {
        first.create("data", url);
        first.write("data", "one", Machine.bytes(1, 200_000));
        first.volumes().destroy("data", false);
        assertThat(second.volumes().attaching().attachable(url)).isEmpty();
        try (var left = Files.walk(bucket)) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
    }

    @Test
    void aDestructionThatHasBegunEndsItEverywhere() throws Exception {
        first.create("data", url);
        first.write("data", "one", Machine.bytes(1, 200_000));
        var kept = directory.resolve("kept");
        copy(bucket, kept);
        var stopping = new DestructionWatcher() {
            @Override
            public boolean cancelled() {
                return true;
            }
        };
        assertThatThrownBy(() -> first.volumes().destroy("data", false, stopping)).isInstanceOf(IOException.class);
        assertThat(second.volumes().attaching().attachable(url)).isEmpty();
        assertThat(second.volumes().attaching().attachable(StoreUrl.of(kept.toUri().toString())))
                .as("the detector sees").hasSize(1);
    }

    private static void copy(Path from, Path to) throws Exception {
        assertThat(new ProcessBuilder("cp", "-a", from.toString(), to.toString()).inheritIO().start().waitFor())
                .isZero();
    }

    @Test
    void refusesWhatIsHereOrUnclear() throws Exception {
        assertThatThrownBy(() -> attach(second)).isInstanceOf(MissingStoreException.class);
        first.volumes().stores().add(Machine.STORE, url);
        assertThat(reason(() -> attach(second))).isEqualTo(Reason.NOT_FOUND);
        first.create("data", url);
        assertThat(reason(() -> attach(first))).isEqualTo(Reason.CONFLICT);
        first.create("more", url);
        var unclear = catchThrowableOfType(Refusal.class, () -> attach(second));
        assertThat(unclear.reason()).isEqualTo(Reason.INVALID);
        assertThat(unclear.details()).hasSize(2).anyMatch(line -> line.startsWith("data ("))
                .anyMatch(line -> line.startsWith("more ("));
        second.volumes().create(VolumeDraft.named("data"));
        var wish = new AttachRequest(url, Optional.of("data"), Optional.empty(), Optional.empty(), false);
        assertThat(reason(() -> second.volumes().attaching().attach(wish, AttachRequest.Watcher.NONE)))
                .isEqualTo(Reason.CONFLICT);
        assertThat(second.volumes().names()).containsExactly("data");
        assertThat(second.volumes().stores().names()).containsExactly("default");
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private static Reason reason(Attempt attempt) {
        return catchThrowableOfType(Refusal.class, attempt::run).reason();
    }

    @Test
    void refusesAVolumeThatIsOpenUnlessForced() throws Exception {
        first.create("data", url);
        try (var open = first.volumes().open("data", Access.WRITE, "test")) {
            open.shipping().tend();
            assertThat(reason(() -> attach(second))).isEqualTo(Reason.BUSY);
            var later = InstantSource.offset(InstantSource.system(), Duration.ofSeconds(61));
            assertThat(second.volumes(later).attaching().checkAttach(AttachRequest.of(url)).spec().name())
                    .isEqualTo("data");
        }
        assertThat(second.volumes().attaching().attachable(url).getFirst().users()).as("closed in order").isEmpty();
        var forced = new AttachRequest(url, Optional.empty(), Optional.empty(), Optional.empty(), true);
        var open = first.volumes().open("data", Access.WRITE, "test");
        open.shipping().tend();
        second.volumes().attaching().attach(forced, AttachRequest.Watcher.NONE);
        Machine.write(open, "late", new byte[100]);
        assertThatThrownBy(open.shipping()::ship).isInstanceOf(AttachedElsewhereException.class);
        assertThatThrownBy(open::close).isInstanceOf(AttachedElsewhereException.class);
    }

    @Test
    void aFailedAttachmentLeavesNothing() throws Exception {
        first.create("data", url);
        for (int i = 0; i < 5; i++) {
            first.write("data", "file-" + i, Machine.bytes(i, 1000));
        }
        Path log;
        try (var logs = Files.walk(bucket)) {
            log = logs.filter(path -> path.getParent().endsWith("meta/log")).sorted().toList().get(3);
        }
        byte[] right = Files.readAllBytes(log);
        byte[] wrong = right.clone();
        wrong[wrong.length / 2] ^= 4;
        Files.write(log, wrong);
        assertThatThrownBy(() -> attach(second)).isInstanceOf(DamagedShipmentException.class)
                .hasMessageContaining(log.getFileName().toString()).hasMessageContaining("are readable");
        assertNothing(second);
        Files.delete(log);
        assertThatThrownBy(() -> attach(second)).isInstanceOf(DamagedShipmentException.class)
                .hasMessageContaining(log.getFileName().toString()).hasMessageContaining("missing");
        assertNothing(second);
        Files.write(log, right);
        var stop = new AttachRequest.Watcher() {
            @Override
            public boolean cancelled() {
                return true;
            }
        };
        assertThatThrownBy(() -> second.volumes().attaching().attach(AttachRequest.of(url), stop))
                .isInstanceOf(IOException.class);
        assertNothing(second);
        first.write("data", "still mine", new byte[10]);
        attach(second);
        assertThat(second.files("data")).isEqualTo(first.files("data")).hasSize(6);
    }

    private static void assertNothing(Machine machine) throws IOException {
        assertThat(machine.volumes().names()).isEmpty();
        assertThat(machine.volumes().stores().names()).containsExactly("default");
        var volumes = machine.directory().resolve("state/volumes");
        if (Files.exists(volumes)) {
            try (var left = Files.list(volumes)) {
                assertThat(left).isEmpty();
            }
        }
    }

    @Test
    void shippingIsSwitchedOnAndOff() throws Exception {
        first.volumes().stores().add(Machine.STORE, url);
        first.volumes().create(VolumeDraft.named("data").withStore(Machine.STORE));
        assertThat(first.volumes().find("data").shipsMetadata()).isFalse();
        first.write("data", "one", Machine.bytes(1, 200_000));
        assertThat(second.volumes().attaching().attachable(url)).isEmpty();
        assertThat(first.volumes().status("data").shipping()).isEmpty();
        try (var open = first.volumes().open("data", Access.WRITE, "in the way")) {
            assertThat(open.shipping().isOn()).isFalse();
            assertThat(reason(() -> first.volumes().set("data", spec -> spec.shippingMetadata(true))))
                    .isEqualTo(Reason.BUSY);
        }
        first.volumes().set("data", spec -> spec.shippingMetadata(true));
        try (var open = first.volumes().open("data", Access.WRITE, "open all the time")) {
            Machine.write(open, "two", Machine.bytes(2, 200_000));
            assertThat(open.shipping().unshipped()).isPositive();
            long two = open.vfs().lookup(Vfs.ROOT, Name.of("two")).ino();
            long one = open.vfs().lookup(Vfs.ROOT, Name.of("one")).ino();
            assertThat(open.shipping().touches(two)).isTrue();
            assertThat(open.shipping().touches(one)).isFalse();
            assertThat(open.shipping().status().orElseThrow().oldest()).isPresent();
            open.shipping().ship();
            assertThat(open.shipping().isShipped()).isTrue();
            assertThat(open.shipping().touches(two)).isFalse();
        }
        assertThat(second.volumes().attaching().attachable(url)).hasSize(1);
        try (var open = first.volumes().open("data", Access.WRITE, "not in the way")) {
            first.volumes().set("data", spec -> spec.shippingMetadata(false));
            assertThat(open.shipping().isOn()).isFalse();
        }
        assertThat(second.volumes().attaching().attachable(url)).isEmpty();
        first.write("data", "three", Machine.bytes(3, 1000));
        first.volumes().set("data", spec -> spec.shippingMetadata(true));
        var files = first.files("data");
        first.lose();
        attach(second);
        assertThat(second.files("data")).isEqualTo(files).containsOnlyKeys("one", "two", "three");
    }

    /** Else a host that is lost right then would leave metadata in the store that name blocks which are gone. */
    @Test
    void noBlockIsDeletedBeforeItsDeathIsShipped() throws Exception {
        first.create("data", url);
        first.write("data", "one", Machine.bytes(1, 200_000));
        long blocks = blocks();
        var log = bucket.resolve(first.volumes().find("data").prefix()).resolve("meta/log");
        var aside = directory.resolve("aside");
        Files.move(log, aside);
        Files.createFile(log);   // nothing can be shipped now
        first.delete("data", "one");
        assertThat(blocks()).isEqualTo(blocks);
        assertThat(first.volumes().status("data").shipping().orElseThrow().unshipped()).isPositive();
        Files.delete(log);
        Files.move(aside, log);
        var kept = directory.resolve("kept");
        copy(bucket, kept);
        second.volumes().attaching().attach(AttachRequest.of(StoreUrl.of(kept.toUri().toString())),
                AttachRequest.Watcher.NONE);
        assertThat(second.files("data")).containsOnlyKeys("one");
        first.write("data", "two", new byte[10]);   // ships, and gives back
        assertThat(blocks()).isLessThan(blocks);
    }

    /** It might be another host's by now. */
    @Test
    void notEvenForceDestroysWhatTheStoreDoesNotVouchFor() throws Exception {
        first.create("data", url);
        first.write("data", "one", Machine.bytes(1, 200_000));
        long blocks = blocks();
        var log = bucket.resolve(first.volumes().find("data").prefix()).resolve("meta/log");
        Files.move(log, directory.resolve("aside"));
        Files.createFile(log);
        assertThat(reason(() -> first.volumes().destroy("data", true))).isEqualTo(Reason.UNAVAILABLE);
        assertThat(blocks()).isEqualTo(blocks);
        Files.delete(log);
        Files.move(directory.resolve("aside"), log);
        first.volumes().destroy("data", true);
        assertThat(first.volumes().names()).isEmpty();
    }

    private long blocks() throws IOException {
        try (var all = Files.walk(bucket.resolve(first.volumes().find("data").prefix()).resolve("blocks"))) {
            return all.filter(Files::isRegularFile).count();
        }
    }

    /**
     * Killed between the put and the ship: what was shipped can be attached, and whoever opens the volume here ships
     * the rest.
     */
    @Test
    void aKilledProcessLosesNothing() throws Exception {
        first.create("data", url);
        first.write("data", "shipped", Machine.bytes(1, 100_000));
        try (var child = ChildJvm.start(directory, KilledUploader.class, first.directory())) {
            assertThat(child.line()).isEqualTo("written");
            child.kill();
        }
        assertThat(first.volumes().status("data").shipping().orElseThrow().unshipped()).isPositive();
        var kept = directory.resolve("kept");
        copy(bucket, kept);
        second.volumes().attaching().attach(AttachRequest.of(StoreUrl.of(kept.toUri().toString())),
                AttachRequest.Watcher.NONE);
        assertThat(second.files("data")).containsOnlyKeys("shipped");
        first.write("data", "next", new byte[10]);
        var third = new Machine(directory.resolve("third"));
        attach(third);
        assertThat(third.files("data")).isEqualTo(first.files("data")).containsOnlyKeys("shipped", "unshipped", "next");
    }

    @Test
    void aVolumeWhoseProcessWasKilledIsNotInUse() throws Exception {
        first.create("data", url);
        try (var child = ChildJvm.start(directory, KilledUploader.class, first.directory())) {
            assertThat(child.line()).isEqualTo("written");
            assertThatThrownBy(() -> first.volumes().destroy("data", false)).as("control")
                    .hasMessageContaining("is in use");
            child.kill();
        }
        first.volumes().destroy("data", false);
        assertThat(first.volumes().names()).isEmpty();
    }

    /** Writes a file and waits for its end. Argument: the machine's directory. */
    static final class KilledUploader {
        private KilledUploader() {}

        public static void main(String[] arguments) throws Exception {
            var open = new Machine(Path.of(arguments[0])).volumes().open("data", Access.WRITE, "test");
            Machine.write(open, "unshipped", Machine.bytes(2, 100_000));
            System.out.println("written");
            System.out.flush();
            Thread.sleep(Duration.ofMinutes(2));
        }
    }

    @Test
    void idsThatTheFormerHostMayHaveUsedAreNotUsedAgain() throws Exception {
        first.create("data", url);
        first.write("data", "one", Machine.bytes(1, 200_000));
        attach(second);
        try (var lost = first.volumes().open("data", Access.WRITE, "test")) {
            Machine.write(lost, "lost", Machine.bytes(2, 200_000));
            second.write("data", "mine", Machine.bytes(3, 200_000));
        } catch (AttachedElsewhereException expected) {
            assertThat(expected.fence().host()).isNotEmpty();
        }
        assertThat(second.files("data").get("mine")).isEqualTo(java.util.Arrays.hashCode(Machine.bytes(3, 200_000)));
        assertThat(List.copyOf(second.files("data").keySet())).containsExactly("mine", "one");
        assertThat(second.volumes().status("data").shipping().map(Shipping.Status::unshipped)).contains(0L);
    }
}
