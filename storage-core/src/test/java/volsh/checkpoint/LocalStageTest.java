package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Refusal;
import volsh.disk.UntrustedException;

final class LocalStageTest {
    private static final LocalStage.Purpose STEP = new LocalStage.Purpose("ckpts", "run-1.a", 5000);

    @TempDir
    Path directory;

    private Path source() throws IOException {
        Path source = Files.createDirectories(directory.resolve("out/sub"));
        Files.writeString(source.resolve("b"), "two");
        Files.writeString(source.getParent().resolve("a"), "one");
        return source.getParent();
    }

    @Test
    void aCopyLeavesTheSource() throws IOException {
        Path copy = new LocalStage(directory.resolve("stage")).copy(source(), STEP);
        assertThat(copy.resolve("sub/b")).hasContent("two");
        assertThat(directory.resolve("out/a")).hasContent("one");
    }

    /** On the same disk nothing is copied: the file is the one that was written. */
    @Test
    void whatIsTakenMoves() throws IOException {
        Path source = source();
        Object file = Files.getAttribute(source.resolve("sub/b"), "unix:ino");
        Path taken = new LocalStage(directory.resolve("stage")).take(source, STEP);
        assertThat(taken.resolve("sub/b")).hasContent("two");
        assertThat(Files.getAttribute(taken.resolve("sub/b"), "unix:ino")).isEqualTo(file);
        assertThat(source).doesNotExist();
        Path single = Files.writeString(directory.resolve("model.pt"), "weights");
        assertThat(new LocalStage(directory.resolve("stage")).take(single, STEP).resolve("model.pt"))
                .hasContent("weights");
        assertThat(single).doesNotExist();
        try (var staged = Files.list(directory.resolve("stage"))) {
            assertThat(staged.count()).isEqualTo(2);
        }
    }

    /** A link is not what it leads to: that is copied, and the link goes. */
    @Test
    void ofALinkOnlyTheLinkGoes() throws IOException {
        Path source = source();
        Path link = Files.createSymbolicLink(directory.resolve("link"), source);
        Path taken = new LocalStage(directory.resolve("stage")).take(link, STEP);
        assertThat(taken.resolve("a")).hasContent("one");
        assertThat(link).doesNotExist();
        assertThat(source.resolve("a")).hasContent("one");
        assertThatThrownBy(() -> new LocalStage(directory.resolve("stage")).take(directory.resolve("none"), STEP))
                .isInstanceOf(Refusal.class);
    }

    /** Syncs until it is told to fail, and remembers what. */
    private static final class Remembering implements LocalStage.Syncing {
        private final Set<String> synced = ConcurrentHashMap.newKeySet();
        private final AtomicInteger left;

        Remembering(int count) {
            this.left = new AtomicInteger(count);
        }

        @Override
        public void sync(Path path) throws IOException {
            if (left.getAndDecrement() <= 0) {
                throw new IOException("the disk failed");
            }
            assertThat(path).exists();
            synced.add(path.toString().replaceFirst("/ckpts@run-1.a@5000@[0-9]+@[-0-9a-f]{36}(\\.half)?", "/ID"));
        }
    }

    private List<String> staged() throws IOException {
        try (var names = Files.list(directory.resolve("stage"))) {
            return names.map(path -> path.getFileName().toString()).toList();
        }
    }

    /**
     * Every file, every directory, and the name of the copy survive power loss when it is returned; if one of these
     * fails, so does the copy.
     */
    @Test
    void nothingIsReturnedThatIsNotSynced() throws IOException {
        Path source = source();
        String stage = directory.resolve("stage").toString();
        var all = new Remembering(99);
        new LocalStage(directory.resolve("stage"), all).copy(source, STEP);
        assertThat(all.synced).containsExactlyInAnyOrder(stage, stage + "/ID", stage + "/ID/a", stage + "/ID/sub",
                stage + "/ID/sub/b");
        for (int count = 0; count < 5; count++) {
            var failing = new Remembering(count);
            assertThatThrownBy(() -> new LocalStage(directory.resolve("stage"), failing).copy(source, STEP))
                    .hasMessage("the disk failed");
            assertThat(staged()).as("after %d syncs", count).hasSize(1);
        }
        var taking = new Remembering(99);
        new LocalStage(directory.resolve("stage"), taking).take(source, STEP);
        String from = source.toString();
        assertThat(taking.synced).containsExactlyInAnyOrder(from, from + "/a", from + "/sub", from + "/sub/b", stage,
                directory.toString());
    }

    /** A hand-over that cannot be made safe leaves all where it was. */
    @Test
    void whatCannotBeSyncedIsNotTaken() throws IOException {
        Path source = source();
        Path single = Files.writeString(directory.resolve("model.pt"), "weights");
        for (int count = 0; count < 4; count++) {
            var failing = new Remembering(count);
            assertThatThrownBy(() -> new LocalStage(directory.resolve("stage"), failing).take(single, STEP))
                    .hasMessage("the disk failed");
            assertThat(single).hasContent("weights");
            assertThat(staged()).isEmpty();
        }
        for (int count = 0; count < 6; count++) {
            var failing = new Remembering(count);
            assertThatThrownBy(() -> new LocalStage(directory.resolve("stage"), failing).take(source, STEP))
                    .hasMessage("the disk failed");
            assertThat(source.resolve("sub/b")).hasContent("two");
            assertThat(staged()).isEmpty();
        }
    }

    /** What a process left that was killed before anybody saved it is found, with what it was to become. */
    @Test
    void whatACopyIsForIsKnown() throws IOException {
        var stage = new LocalStage(directory.resolve("stage"));
        assertThat(stage.list()).isEmpty();
        Path copy = stage.copy(source(), STEP);
        Path shard = stage.copy(source(), new LocalStage.Purpose("ckpts", "r", 7, OptionalInt.of(3)));
        assertThat(stage.list()).extracting(LocalStage.Copy::path).containsExactly(copy, shard);
        assertThat(stage.list()).allMatch(LocalStage.Copy::alive).extracting(LocalStage.Copy::purpose)
                .containsExactly(STEP, new LocalStage.Purpose("ckpts", "r", 7, OptionalInt.of(3)));
        String gone = copy.getFileName().toString()
                .replaceFirst("@[0-9]+@([-0-9a-f]{36})", "@" + Integer.MAX_VALUE + "@$1");
        Files.move(copy, copy.resolveSibling(gone));
        assertThat(stage.list()).filteredOn(one -> !one.alive()).extracting(LocalStage.Copy::purpose)
                .containsExactly(STEP);
    }

    /** What a killed process left goes after a day; what somebody may still be at does not. */
    @Test
    void unfinishedCopiesGo() throws IOException {
        Path old = Files.createDirectories(directory.resolve("stage/1.half"));
        Files.writeString(old.resolve("part"), "x");
        Files.createDirectory(directory.resolve("stage/2.half"));
        Path kept = Files.createDirectory(directory.resolve("stage/3"));
        var before = FileTime.from(Instant.now().minus(Duration.ofHours(25)));
        Files.setLastModifiedTime(old, before);
        Files.setLastModifiedTime(kept, before);
        Path copy = new LocalStage(directory.resolve("stage")).copy(source(), STEP);
        assertThat(staged()).containsExactlyInAnyOrder("2.half", "3", copy.getFileName().toString());
    }

    @Test
    void aStageThatOthersMayChangeIsRefused() throws IOException {
        var stage = Files.createDirectory(directory.resolve("stage"));
        Files.setAttribute(stage, "unix:mode", 0777);
        assertThatThrownBy(() -> new LocalStage(stage).copy(source(), STEP)).isInstanceOf(UntrustedException.class);
        Files.setAttribute(stage, "unix:mode", 0700);
        if ((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0) {
            Files.setAttribute(stage, "unix:uid", 65534);
            assertThatThrownBy(() -> new LocalStage(stage).copy(source(), STEP)).isInstanceOf(UntrustedException.class)
                    .hasMessageContaining("belongs to user 65534");
        }
        var link = Files.createSymbolicLink(directory.resolve("link"),
                Files.createDirectory(directory.resolve("elsewhere")));
        assertThatThrownBy(() -> new LocalStage(link).copy(source(), STEP)).isInstanceOf(UntrustedException.class);
        assertThat(directory.resolve("elsewhere")).isEmptyDirectory();
    }
}
