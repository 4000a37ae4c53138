package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.Name;
import volsh.fs.OtherWriters;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.fuse.MountOptions;
import volsh.fuse.Space;
import volsh.fuse.TestMount;
import volsh.fuse.kernel.KernelMount;
import volsh.hang.Eventually;
import volsh.vfs.Vfs;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** The kernel remembers names for long while a mount is alone, and nothing that another writer is about to change. */
@Tag("mount")
final class LoneMountTest {
    private static final int LOOKUP = 1;

    @TempDir
    private Path directory;

    private Volumes volumes;
    private Path top;
    private Volume volume;

    @BeforeEach
    void make() throws Exception {
        var home = new Home(directory.resolve("config"), directory.resolve("state"), directory.resolve("cache"),
                directory.resolve("run"));
        volumes = new Volumes(home, InstantSource.system(), Owner.ROOT);
        volumes.stores().add("lake", StoreUrl.of(directory.resolve("bucket").toUri().toString()));
        volumes.create(VolumeDraft.named("data").withStore("lake"));
        top = Files.createDirectory(directory.resolve("top"));
        volume = open();
    }

    @AfterEach
    void unmount() throws Exception {
        TestMount.detach(top);
        volume.close();
    }

    private Volume open() throws IOException {
        return volumes.open(OpeningRequest.of("data", Access.WRITE, "test"));
    }

    private KernelMount mount(OtherWriters others) throws IOException {
        return KernelMount.start(volume.vfs(), MountOptions.at(top, "volsh:test"),
                () -> new Space(1 << 30, 1 << 30, 10), InstantSource.system(), others);
    }

    /** How many names were looked up between two questions for the size that are more than a second apart. */
    private long lookups(KernelMount mount, Path file) throws IOException {
        Files.size(file);
        long before = mount.requests(LOOKUP);
        Eventually.nextSecond();
        Eventually.nextSecond();
        Files.size(file);
        return mount.requests(LOOKUP) - before;
    }

    private void awaitAlone(KernelMount mount, Path file) {
        Eventually.value("names are remembered", () -> lookups(mount, file), count -> count == 0);
    }

    @Test
    void withoutKnowingOthersNamesAreAskedForAgain() throws Exception {
        try (var mount = mount(OtherWriters.UNKNOWN)) {
            var file = Files.writeString(top.resolve("a"), "hello");
            assertThat(lookups(mount, file)).isPositive();
        }
    }

    @Test
    void whatAnotherWriterChangesIsSeenAtOnce() throws Exception {
        try (var mount = mount(volume.otherWriters())) {
            var file = Files.writeString(top.resolve("a"), "hello");
            awaitAlone(mount, file);
            try (var channel = FileChannel.open(file)) {
                assertThat(channel.size()).isEqualTo(5);
                try (var other = open()) {
                    long ino = other.vfs().lookup(Vfs.ROOT, Name.of("a")).ino();
                    try (var opened = other.vfs().open(ino)) {
                        opened.write(5, ByteBuffer.wrap(new byte[7]));
                    }
                    assertThat(channel.size()).as("by descriptor").isEqualTo(12);
                    other.vfs().rename(Vfs.ROOT, Name.of("a"), Vfs.ROOT, Name.of("b"), RenameMode.REPLACE);
                    assertThat(file).doesNotExist();
                    assertThat(top.resolve("b")).hasSize(12);
                    assertThat(lookups(mount, top.resolve("b"))).as("not alone any more").isPositive();
                }
            }
        }
    }

    @Test
    void whatThisProcessChangesItselfIsSeen() throws Exception {
        try (var mount = mount(volume.otherWriters())) {
            var file = Files.writeString(top.resolve("a"), "hello");
            awaitAlone(mount, file);
            volume.vfs().rename(Vfs.ROOT, Name.of("a"), Vfs.ROOT, Name.of("b"), RenameMode.REPLACE);
            Eventually.holds("the old name is gone", () -> !Files.exists(file));
            assertThat(top.resolve("b")).hasSize(5);
        }
    }

    @Test
    void aReaderChangesNothing() throws Exception {
        try (var mount = mount(volume.otherWriters())) {
            var file = Files.writeString(top.resolve("a"), "hello");
            awaitAlone(mount, file);
            try (var reader = volumes.open(OpeningRequest.of("data", Access.READ, "test"))) {
                assertThat(reader.vfs().lookup(Vfs.ROOT, Name.of("a")).size()).isEqualTo(5);
            }
        }
    }
}
