package volsh.block;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.block.BlockStoreContract.bytes;
import static volsh.block.BlockStoreContract.key;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;
import volsh.unit.Percent;

final class FaultyTest implements BlockStoreContract {
    @Override
    public BlockStore open() {
        return new Faulty(new MemoryBlockStore(), new Faults(new Percent(0), 1));
    }

    @Test
    void failsAsOftenAsAskedInEveryWay() throws Exception {
        var memory = new MemoryBlockStore();
        var faults = new Faults(new Percent(20), 7);
        var store = new Faulty(memory, faults);
        memory.put(key("a"), bytes("hello"));
        var kinds = new HashSet<String>();
        int failed = 0;
        for (int i = 0; i < 2_000; i++) {
            var target = ByteBuffer.allocate(5);
            try {
                assertThat(store.get(key("a"), 0, target)).isEqualTo(5);
                assertThat(target.flip()).isEqualTo(bytes("hello"));
            } catch (IOException injected) {
                kinds.add(injected.getMessage());
                assertThat(target.limit()).isEqualTo(5);
                failed++;
            }
        }
        assertThat(faults.injected()).isEqualTo(failed);
        assertThat(failed).isBetween(300, 500);
        assertThat(kinds).hasSize(3).allMatch(message -> message.startsWith("injected fault, "));
    }

    @Test
    void aLostReplyMeansItWasDone() throws Exception {
        var memory = new MemoryBlockStore();
        var store = new Faulty(memory, new Faults(new Percent(50), 3));
        int failedButThere = 0;
        for (int i = 0; i < 200; i++) {
            try {
                store.put(BlockKey.of(i), bytes("x"));
            } catch (IOException injected) {
                failedButThere += BlockStoreContract.list(memory, BlockKey.of(i).text()).size();
            }
        }
        assertThat(failedButThere).isPositive();
    }

    @Test
    void theSameSeedFailsTheSameCalls() {
        assertThat(failures(5)).isEqualTo(failures(5)).isNotEqualTo(failures(6));
    }

    private static List<Integer> failures(long seed) {
        var store = new Faulty(new MemoryBlockStore(), new Faults(new Percent(10), seed));
        var failures = new ArrayList<Integer>();
        for (int i = 0; i < 200; i++) {
            try {
                store.delete(key("a"));
            } catch (IOException injected) {
                failures.add(i);
            }
        }
        return failures;
    }
}
