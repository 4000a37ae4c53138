package volsh.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static volsh.block.BlockStoreContract.bytes;
import static volsh.block.BlockStoreContract.key;
import static volsh.block.BlockStoreContract.list;

import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;

final class PrefixedTest implements BlockStoreContract {
    @Override
    public BlockStore open() throws Exception {
        var shared = new MemoryBlockStore();
        shared.put(key("volumes/other/a"), bytes("not yours"));
        shared.put(key("volumes/one-more/a"), bytes("not yours"));
        return new Prefixed(shared, "volumes/one");
    }

    @Test
    void volumesDoNotMeet() throws Exception {
        var shared = new MemoryBlockStore();
        var one = new Prefixed(shared, "one");
        var two = new Prefixed(shared, "two");
        one.put(key("a"), bytes("1"));
        two.put(key("a"), bytes("2"));
        one.delete(key("a"));
        assertThat(list(one, "")).isEmpty();
        assertThat(list(two, "")).hasSize(1);
        assertThat(list(shared, "")).extracting(listed -> listed.key().text()).containsExactly("two/a");
    }

    @Test
    void aPrefixIsAKey() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Prefixed(new MemoryBlockStore(), "../up"));
        assertThatIllegalArgumentException().isThrownBy(() -> new Prefixed(new MemoryBlockStore(), "end/"));
    }
}
