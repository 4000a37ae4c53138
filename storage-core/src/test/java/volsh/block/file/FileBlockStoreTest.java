package volsh.block.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.block.BlockStoreContract.bytes;
import static volsh.block.BlockStoreContract.key;
import static volsh.block.BlockStoreContract.list;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.BlockStoreContract;
import volsh.block.MissingStoreException;
import volsh.block.NoSuchBlockException;
import volsh.block.Prefixed;
import volsh.block.UnfinishedPut;
import volsh.disk.OsDisk;
import volsh.proc.ProcessMark;

final class FileBlockStoreTest implements BlockStoreContract {
    @TempDir
    Path directory;

    @Override
    public BlockStore open() {
        return new FileBlockStore(directory.resolve("store"), new OsDisk());
    }

    @Test
    void blocksAreFilesNamedByTheirKeys() throws Exception {
        open().put(key("blocks/ab/01"), bytes("hello"));
        assertThat(directory.resolve("store/blocks/ab/01")).hasContent("hello");
        assertThat(Files.list(directory.resolve("store/blocks/ab"))).hasSize(1);
        assertThat(open().get(key("blocks/ab/01"), 0, ByteBuffer.allocate(9))).isEqualTo(5);
    }

    @Test
    void linksThatLeadOutAreNotFollowed() throws Exception {
        Path outside = Files.createDirectories(directory.resolve("outside"));
        Files.writeString(outside.resolve("secret"), "secret");
        Path root = Files.createDirectories(directory.resolve("store/blocks"));
        Files.createSymbolicLink(root.resolve("ab"), outside);
        Files.createDirectory(root.resolve("cd"));
        Files.createSymbolicLink(root.resolve("cd/link"), outside.resolve("secret"));
        BlockStore store = open();
        assertThatThrownBy(() -> store.get(key("blocks/ab/secret"), 0, ByteBuffer.allocate(9)))
                .isInstanceOf(NoSuchBlockException.class);
        assertThatThrownBy(() -> store.get(key("blocks/cd/link"), 0, ByteBuffer.allocate(9)))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> store.put(key("blocks/ab/new"), bytes("x"))).isInstanceOf(IOException.class);
        store.delete(key("blocks/ab/secret"));
        assertThat(list(store, "")).isEmpty();
        assertThat(outside.resolve("secret")).hasContent("secret");
        store.put(key("blocks/cd/link"), bytes("mine"));
        assertThat(outside.resolve("secret")).hasContent("secret");
        assertThat(outside).isDirectoryNotContaining("glob:**new");
    }

    @Test
    void leftoversAreNotListedAndOldOnesGo() throws Exception {
        BlockStore store = open();
        store.put(key("blocks/ab/01"), bytes("hello"));
        Path young = Files.writeString(directory.resolve("store/blocks/ab/.put-1-1"), "half");
        Path old = Files.writeString(directory.resolve("store/blocks/ab/.put-1-2"), "half");
        Path strange = Files.writeString(directory.resolve("store/blocks/ab/NOTES"), "not ours");
        for (Path path : new Path[] {old, strange}) {
            Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(Duration.ofHours(25))));
        }
        assertThat(list(store, "")).extracting(listed -> listed.key().text()).containsExactly("blocks/ab/01");
        assertThat(young).exists();
        assertThat(strange).exists();
        assertThat(old).doesNotExist();
    }

    @Test
    void whatKilledProcessesLeftIsFoundWithItsWriter() throws Exception {
        BlockStore store = open();
        store.put(key("vol/blocks/ab/01"), bytes("hello"));
        var shelf = directory.resolve("store/vol/blocks/ab");
        var own = ProcessMark.own().text();
        String gone = own.replaceFirst("[0-9]+$", "1");   // the same number, another start
        Files.writeString(shelf.resolve(".put-" + own + "-a-1"), "half");
        Files.writeString(shelf.resolve(".put-" + gone + "-a-2"), "half");
        Files.writeString(shelf.resolve(".put-16856d6e27857cdf-2"), "of an older volsh");
        Files.writeString(directory.resolve("store/vol/.put-0.0.0.0-a-3"), "of another machine");
        Files.createDirectories(directory.resolve("store/other"));
        Files.writeString(directory.resolve("store/other/.put-" + gone + "-a-4"), "another volume's");
        var mine = new Prefixed(store, "vol");
        assertThat(mine.unfinished("")).extracting(left -> left.name() + " " + left.writer()).containsExactlyInAnyOrder(
                "blocks/ab/.put-" + own + "-a-1 ALIVE", "blocks/ab/.put-" + gone + "-a-2 GONE",
                "blocks/ab/.put-16856d6e27857cdf-2 UNKNOWN", ".put-0.0.0.0-a-3 UNKNOWN");
        assertThat(mine.unfinished("")).filteredOn(left -> left.isAbandoned(Instant.now(), Duration.ZERO))
                .as("known to be gone; of unknown ones only old ones").extracting(UnfinishedPut::writer)
                .containsExactly(UnfinishedPut.Writer.GONE);
        for (var left : mine.unfinished("")) {
            mine.discard(left);
            mine.discard(left);
        }
        assertThat(mine.unfinished("")).isEmpty();
        assertThat(store.unfinished("")).hasSize(1);
        assertThatThrownBy(() ->
                store.discard(new UnfinishedPut("vol/blocks/ab/01", 5, Instant.EPOCH, UnfinishedPut.Writer.GONE)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(list(store, "")).hasSize(1);
    }

    @Test
    void aRemovedDirectoryIsMadeAgain() throws Exception {
        BlockStore store = open();
        store.put(key("blocks/ab/01"), bytes("hello"));
        Files.delete(directory.resolve("store/blocks/ab/01"));
        Files.delete(directory.resolve("store/blocks/ab"));
        store.put(key("blocks/ab/02"), bytes("hello"));
        assertThat(list(store, "")).hasSize(1);
    }

    @Test
    void directoriesThatCannotBeUsedConcernTheirOwnBlocksAlone() throws Exception {
        BlockStore store = open();
        Path root = directory.resolve("store");
        for (long id = 0; id < 5; id++) {
            store.put(BlockKey.of(id), bytes("x"));
        }
        Files.createSymbolicLink(root.resolve("blocks/20"), root);
        Files.writeString(root.resolve("blocks/30"), "in the way");
        for (long id = 5; id < 300; id++) {
            long each = id;
            if ((id & 255) == 0x20 || (id & 255) == 0x30) {
                assertThatThrownBy(() -> store.put(BlockKey.of(each), bytes("x"))).isInstanceOf(IOException.class);
            } else {
                store.put(BlockKey.of(id), bytes("x"));
            }
        }
        assertThat(list(store, "blocks/")).hasSize(300 - 2);
    }

    /**
     * Where the directory has to exist, nothing is made, listed or deleted without it: a block there may be on a disk
     * that is not mounted.
     */
    @Test
    void aMissingDirectoryIsNoAnswer() throws IOException {
        var root = directory.resolve("disk");
        var key = new BlockKey("v/blocks/00/1");
        var block = ByteBuffer.wrap(new byte[] {1, 2, 3});
        new FileBlockStore(root, new OsDisk()).put(key, block.duplicate());
        var store = FileBlockStore.existing("lake", root, "v", new OsDisk());
        store.put(key, block.duplicate());
        assertThat(store.get(key, 0, ByteBuffer.allocate(3))).isEqualTo(3);
        for (boolean whole : new boolean[] {false, true}) {
            Files.move(whole ? root : root.resolve("v"), directory.resolve("aside"));
            for (var call : List.<ThrowingCallable>of(() -> store.get(key, 0, ByteBuffer.allocate(3)),
                    () -> store.put(key, block.duplicate()), () -> store.putIfAbsent(key, block.duplicate()),
                    () -> store.delete(key), () -> store.unfinished("v/"))) {
                assertThatThrownBy(call).isInstanceOfSatisfying(MissingStoreException.class,
                        missing -> assertThat(missing.isWhole()).isEqualTo(whole));
            }
            assertThatThrownBy(() -> store.list("v/blocks/").toList()).hasCauseInstanceOf(MissingStoreException.class);
            assertThat(whole ? root : root.resolve("v")).doesNotExist();
            Files.move(directory.resolve("aside"), whole ? root : root.resolve("v"));
            assertThat(store.get(key, 0, ByteBuffer.allocate(3))).isEqualTo(3);
        }
    }
}
