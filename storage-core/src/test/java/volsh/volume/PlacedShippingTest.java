package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.Refusal;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeDraft;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.lifecycle.AttachRequest;
import volsh.place.Chaos;
import volsh.place.LayoutPolicy;
import volsh.unit.ByteSize;
import volsh.upkeep.Watcher;
import volsh.upkeep.check.Damage;
import volsh.vfs.Vfs;

/** The metadata of a volume with several stores survive the loss of as many of them as its blocks do. */
@Tag("volume")
final class PlacedShippingTest {
    @TempDir
    Path directory;

    private Volumes machine(String name) throws IOException {
        var volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", directory.resolve(name).toString()), false),
                InstantSource.system(), Owner.ROOT);
        for (int i = 1; i <= 3; i++) {
            volumes.stores().add("s" + i, url(i));
        }
        return volumes;
    }

    private StoreUrl url(int store) {
        return StoreUrl.of("file://" + directory.resolve("s" + store));
    }

    private static void create(Volumes volumes, String policy) throws IOException {
        volumes.create(VolumeDraft.named("v").withBlockSize(ByteSize.of("64KiB")).withInline(ByteSize.of("0"))
                .shippingMetadata(true)
                .withSpread(StoreLayout.of(List.of("s1", "s2", "s3"), LayoutPolicy.of(policy))));
    }

    private static void write(Volumes volumes, String name) throws IOException {
        try (var volume = volumes.open("v", Access.WRITE, "test")) {
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of(name), 0644, Owner.ROOT)) {
                file.write(0, ByteBuffer.wrap(name.repeat(1000).getBytes()));
            }
            volume.sync();
        }
        volumes.attaching().ship("v");
    }

    private static void requireFiles(Volumes volumes, String... names) throws IOException {
        try (var volume = volumes.open("v", Access.READ, "test")) {
            for (var name : names) {
                var target = ByteBuffer.allocateDirect(name.length() * 1000);
                try (var file = volume.vfs().open(volume.paths().resolve("/" + name).ino())) {
                    assertThat(file.read(0, target)).isEqualTo(target.capacity());
                }
                byte[] bytes = new byte[target.capacity()];
                target.flip().get(bytes);
                assertThat(new String(bytes)).isEqualTo(name.repeat(1000));
            }
        }
    }

    private void wipe(int store) throws IOException {
        try (var all = Files.walk(directory.resolve("s" + store))) {
            for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private AttachRequest request(int store, boolean force) {
        return new AttachRequest(url(store), Optional.empty(), Optional.empty(), Optional.empty(), force);
    }

    private static void heal(Volumes volumes, String store) throws IOException {
        try (var volume = volumes.open("v", Access.WRITE, "heal");
                var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            assertThat(care.heal(Set.of(store)).isClean()).isTrue();
        }
    }

    @Test
    void theFirstStoreIsGoneAndTheVolumeIsAttachedFromTheSecond() throws IOException {
        for (var policy : List.of("mirror:2", "ec:2+1")) {
            var first = machine("first-" + policy.charAt(0));
            create(first, policy);
            write(first, "before");
            wipe(1);
            var second = machine("second-" + policy.charAt(0));
            assertThatThrownBy(() -> second.attaching().attach(request(2, false), AttachRequest.Watcher.NONE))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("not all stores with the metadata").satisfies(refused ->
                            assertThat(((Refusal) refused).details().toString()).contains("store 's1'"));
            assertThat(second.attaching().attach(request(2, true), AttachRequest.Watcher.NONE).stores())
                    .containsExactly("s1", "s2", "s3");
            requireFiles(second, "before");
            assertThatThrownBy(() -> write(first, "too-late")).as("who had it before is fenced")
                    .isInstanceOf(IOException.class);
            write(second, "after");
            assertThat(directory.resolve("s1")).as("nothing is put where no mark is").isEmptyDirectory();
            heal(second, "s1");
            write(second, "again");
            wipe(2);
            var third = machine("third-" + policy.charAt(0));
            third.attaching().attach(request(1, true), AttachRequest.Watcher.NONE);
            requireFiles(third, "before", "after", "again");
            heal(third, "s2");
            third.destroy("v", false);
            for (int i = 1; i <= 3; i++) {
                try (var left = Files.walk(directory.resolve("s" + i))) {
                    assertThat(left.filter(Files::isRegularFile)).isEmpty();
                }
            }
        }
    }

    /** A store that missed something gets it before it can be taken for whole. */
    @Test
    void aStoreThatWasAwayIsLevelled() throws IOException {
        var first = machine("first");
        create(first, "mirror:2");
        write(first, "one");
        first.spreading().order("s2", Chaos.until(Instant.now().plusSeconds(600)).withDown());
        write(first, "two");
        first.spreading().end("s2");
        write(first, "three");
        wipe(1);
        var second = machine("second");
        second.attaching().attach(request(2, true), AttachRequest.Watcher.NONE);
        assertThat(second.status("v").usage().inodes()).isEqualTo(4);
        requireFiles(second, "one", "three");
    }

    /**
     * A host is lost while it moves blocks: what others attach names the old places, and finds them, until the move
     * itself is shipped.
     */
    @Test
    void movedBlocksAreInTheirOldPlacesUntilTheMoveIsShipped() throws IOException {
        var first = machine("first");
        create(first, "mirror:2");
        byte[] bytes = Machine.bytes(1, 150_000);
        try (var volume = first.open("v", Access.WRITE, "test")) {
            Machine.write(volume, "one", bytes);
        }
        first.spreading().setPolicy("v", LayoutPolicy.of("ec:2+1"));
        first.attaching().ship("v");
        copyStores("before");
        try (var volume = first.open("v", Access.WRITE, "test");
                var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            assertThat(care.migrate(volume.paths().resolve("/one").ino())).isPositive();
            copyStores("meanwhile");
        }
        first.attaching().ship("v");
        copyStores("after");
        for (var moment : List.of("before", "meanwhile", "after")) {
            for (int i = 1; i <= 3; i++) {
                wipe(i);
                copy(directory.resolve(moment).resolve("s" + i), directory.resolve("s" + i));
            }
            var second = machine("second-" + moment);
            second.attaching().attach(request(1, true), AttachRequest.Watcher.NONE);
            try (var volume = second.open("v", Access.READ, "test")) {
                assertThat(Machine.read(volume, "one")).isEqualTo(bytes);
            }
            assertThat(second.upkeep().check("v", true, Optional.empty(), Watcher.NONE).problems()).as(moment)
                    .allMatch(each -> each.damage() == Damage.OBJECT_UNUSED);
        }
    }

    private void copyStores(String name) throws IOException {
        for (int i = 1; i <= 3; i++) {
            copy(directory.resolve("s" + i), Files.createDirectories(directory.resolve(name)).resolve("s" + i));
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var all = Files.walk(from)) {
            for (var path : all.toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }

    private static Durability.State state(Volumes volumes, String name) throws IOException {
        try (var volume = volumes.open("v", Access.READ, "test")) {
            return volume.durability(volume.paths().resolve("/" + name).ino()).state();
        }
    }

    /** What is said of a file is true: shown by the loss of each store, on a copy of all of them. */
    @Test
    void aReplicatedFileSurvivesTheLossOfAnyStore() throws IOException {
        var first = machine("first");
        create(first, "mirror:2");
        write(first, "one");
        assertThat(state(first, "one")).isEqualTo(Durability.State.REPLICATED);
        first.spreading().order("s2", Chaos.until(Instant.now().plusSeconds(600)).withDown());
        write(first, "two");
        assertThat(state(first, "two")).as("a store is away").isEqualTo(Durability.State.COMMITTED);
        first.spreading().end("s2");
        try (var volume = first.open("v", Access.WRITE, "heal");
                var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            care.heal(Set.of());
        }
        // healing is a change, too
        assertThat(state(first, "two")).isIn(Durability.State.STORED, Durability.State.REPLICATED);
        first.attaching().ship("v");
        assertThat(state(first, "two")).isEqualTo(Durability.State.REPLICATED);
        for (int lost = 1; lost <= 3; lost++) {
            var other = machine("other-" + lost);
            var kept = directory.resolve("kept");
            Files.move(directory.resolve("s" + lost), kept);
            other.attaching().attach(request(lost == 1 ? 2 : 1, true), AttachRequest.Watcher.NONE);
            requireFiles(other, "one", "two");
            Files.move(kept, directory.resolve("s" + lost));
        }
    }

    /** The control: on one store, or striped over several, nothing is replicated. */
    @Test
    void withoutRedundancyNothingIsReplicated() throws IOException {
        var first = machine("first");
        create(first, "stripe:3");
        write(first, "one");
        assertThat(state(first, "one")).isEqualTo(Durability.State.COMMITTED);
        assertThat(first.spreading().mayReplicate(first.find("v"))).isFalse();
    }

    /** With nothing to lose there is one place, as of old. */
    @Test
    void stripesShipToTheFirst() throws IOException {
        var first = machine("first");
        create(first, "stripe:all");
        write(first, "one");
        assertThat(directory.resolve("s2/_volumes")).doesNotExist();
        var second = machine("second");
        second.attaching().attach(request(1, false), AttachRequest.Watcher.NONE);
        requireFiles(second, "one");
    }
}
