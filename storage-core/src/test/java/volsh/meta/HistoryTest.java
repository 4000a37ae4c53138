package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.fs.AttributeChange;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.vfs.ManualClock;
import volsh.vfs.OpenFile;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Old versions of rows are kept exactly where a retained tick needs them, and what they refer to stays. */
@OnEveryEngine
final class HistoryTest {
    private static final int BLOCK = 4096;

    private final ManualClock clock = new ManualClock();
    private final MetaEngine engine;
    private TestVolume volume;
    private Ticks ticks;
    private OpenFile file;

    HistoryTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    @BeforeEach
    void open() throws IOException {
        volume = TestVolume.open(engine, new MemoryBlockStore(), new ChunkSettings(BLOCK, 0, 1 << 20), Runnable::run,
                clock);
        ticks = volume.ticks();
        file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT);
        nextSecond();
    }

    @AfterEach
    void referencesAreExact() throws IOException {
        assertThat(volume.audit()).isEmpty();
    }

    private void nextSecond() {
        clock.advance(Duration.ofSeconds(1));
    }

    private void write(int value, long offset, int length) throws IOException {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        file.write(offset, ByteBuffer.wrap(bytes));
        file.flush();
    }

    private int historic() throws IOException {
        return MetadataAudit.of(engine).historic();
    }

    /** Writes, overwrites, cuts, renames, links and removes, a second for each. */
    private void lifeOfAFile() throws IOException {
        var vfs = volume.vfs();
        write(1, 0, 3 * BLOCK);
        nextSecond();
        write(2, BLOCK / 2, BLOCK);
        nextSecond();
        file.truncate(2 * BLOCK + 5);
        nextSecond();
        vfs.link(file.ino(), Vfs.ROOT, Name.of("g"));
        nextSecond();
        vfs.setExtendedAttribute(file.ino(), "user.a".getBytes(), new byte[5], true, true);
        nextSecond();
        vfs.removeExtendedAttribute(file.ino(), "user.a".getBytes());
        nextSecond();
        vfs.rename(Vfs.ROOT, Name.of("g"), Vfs.ROOT, Name.of("h"), RenameMode.REPLACE);
        nextSecond();
        vfs.unlink(Vfs.ROOT, Name.of("h"));
        vfs.unlink(Vfs.ROOT, Name.of("f"));
        nextSecond();
        write(3, 0, 10);
        file.close();
    }

    private void reclaim() throws IOException {
        for (int round = 0; round < 2; round++) {
            clock.advance(Duration.ofSeconds(2));
            volume.reclaim();
        }
    }

    @Test
    void withoutAWindowOrAPinNothingIsKept() throws IOException {
        lifeOfAFile();
        assertThat(historic()).isZero();
        reclaim();
        assertThat(historic()).isZero();
        assertThat(volume.blocks()).isZero();
    }

    @Test
    void withAWindowEveryVersionIsKept() throws IOException {
        ticks.retain(3600);
        lifeOfAFile();
        long kept = volume.blocks();
        reclaim();
        assertThat(volume.blocks()).as("blocks that history names").isEqualTo(kept);
        var names = ticks.history(Keys.entry(Vfs.ROOT, Name.of("h")));
        assertThat(names).hasSize(1);
        assertThat(names.getFirst().end() - names.getFirst().since()).isEqualTo(1);
        assertThat(ticks.history(Keys.attribute(file.ino(), "user.a".getBytes()))).hasSize(1);
        var nodes = ticks.history(Keys.node(file.ino()));
        assertThat(nodes).hasSizeGreaterThan(6);
        for (int i = 1; i < nodes.size(); i++) {
            assertThat(nodes.get(i).since()).as("each version follows the last").isEqualTo(nodes.get(i - 1).end());
        }
    }

    @Test
    void oneVersionASecondIsKept() throws IOException {
        ticks.retain(3600);
        var before = volume.vfs().attributes(file.ino());
        for (int mode = 1; mode < 10; mode++) {
            volume.vfs().change(file.ino(), AttributeChange.NONE.withMode(mode));
        }
        var versions = ticks.history(Keys.node(file.ino()));
        assertThat(versions).hasSize(1);
        assertThat(NodeRow.parse(ByteBuffer.wrap(versions.getFirst().content())).mode()).isEqualTo(before.mode());
    }

    @Test
    void aPinKeepsWhatWasCurrentThenAndNothingElse() throws IOException {
        write(1, 0, BLOCK);
        nextSecond();
        write(2, 0, BLOCK);
        nextSecond();
        long pin = ticks.pin();
        assertThat(historic()).as("nothing was kept before").isZero();
        for (int value = 3; value < 6; value++) {
            nextSecond();
            write(value, 0, BLOCK);
        }
        var extents = ticks.history(Keys.extent(file.ino(), BLOCK));
        assertThat(extents).hasSize(1);
        assertThat(extents.getFirst().since()).isLessThanOrEqualTo(pin);
        assertThat(extents.getFirst().end()).isGreaterThan(pin);
        assertThat(ticks.history(Keys.node(file.ino()))).hasSize(1);
        file.close();
        reclaim();
        assertThat(volume.blocks()).as("the pinned block and the current one").isEqualTo(2);
    }

    @Test
    void aPinClosesItsTick() throws IOException {
        write(1, 0, BLOCK);
        long pin = ticks.pin();
        write(2, 0, BLOCK);
        assertThat(ticks.history(Keys.extent(file.ino(), BLOCK)))
                .as("written in the same second, before and after the pin")
                .extracting(Ticks.Version::since, Ticks.Version::end).containsExactly(tuple(pin, pin + 1));
    }

    @Test
    void withoutThePinNothingMoreIsKept() throws IOException {
        write(1, 0, BLOCK);
        long pin = ticks.pin();
        ticks.unpin(pin);
        nextSecond();
        write(2, 0, BLOCK);
        assertThat(historic()).isZero();
    }

    @Test
    void sharedBlocksCountHistoryToo() throws IOException {
        ticks.retain(3600);
        write(1, 0, 2 * BLOCK);
        try (var copy = volume.vfs().create(Vfs.ROOT, Name.of("copy"), 0644, Owner.ROOT)) {
            nextSecond();
            file.copyTo(0, copy, 0, 2 * BLOCK);
            nextSecond();
            copy.truncate(BLOCK / 2);
            nextSecond();
            file.zero(10, 100, true);
        }
        assertThat(volume.audit()).isEmpty();
        nextSecond();
        for (var name : List.of("f", "copy")) {
            volume.vfs().unlink(Vfs.ROOT, Name.of(name));
        }
        file.close();
        long blocks = volume.blocks();
        reclaim();
        assertThat(volume.blocks()).isEqualTo(blocks);
    }

    @Test
    void ticksNeverRunBackwards() throws IOException {
        ticks.retain(3600);
        long now = ticks.advance();
        clock.advance(Duration.ofSeconds(-100));
        write(1, 0, BLOCK);
        assertThat(ticks.advance()).isGreaterThanOrEqualTo(now - 1);
        clock.advance(Duration.ofSeconds(200));
        write(2, 0, BLOCK);
        assertThat(ticks.advance()).isGreaterThan(now);
    }
}
