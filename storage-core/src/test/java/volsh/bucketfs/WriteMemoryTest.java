package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import volsh.fs.FsException;

final class WriteMemoryTest {
    private static final long SMALL = WriteMemory.SMALLEST;
    private static final long PART = 8 << 20;

    private final WriteMemory memory = new WriteMemory(PART);

    @Test
    void writersAreRefusedWhereNothingGivesMemoryBack() throws IOException {
        var part = memory.take(PART);
        memory.await("key");
        var more = memory.take(PART / 2);
        assertThat(memory.isUsedUp()).isTrue();
        assertThatThrownBy(() -> memory.await("key")).isInstanceOf(FsException.class).hasMessageContaining("key",
                "12.0MiB");
        memory.give(more);
        memory.await("key");
        memory.give(part);
        assertThat(memory.used()).isZero();
        memory.rest();
    }

    @Test
    void writersWaitWhileAnUploadIsUnderWay() throws Exception {
        var part = memory.take(2 * PART);
        memory.sending();
        var waiting = CompletableFuture.runAsync(() -> {
            try {
                memory.await("key");
            } catch (IOException refused) {
                throw new AssertionError(refused);
            }
        });
        memory.give(part);
        memory.sent();
        waiting.get(1, TimeUnit.MINUTES);
        memory.rest();
    }

    @Test
    void smallPiecesAndPartsAreUsedAgain() {
        for (long size : new long[] {SMALL, SMALL * WriteMemory.GROWTH, PART}) {
            var first = memory.take(size);
            memory.give(first);
            var second = memory.take(size);
            assertThat(second.memory().address()).isEqualTo(first.memory().address());
            var third = memory.take(size);
            assertThat(third.memory().address()).isNotEqualTo(first.memory().address());
            memory.give(second);
            memory.give(third);
        }
        memory.rest();
        assertThat(memory.used()).isZero();
    }
}
