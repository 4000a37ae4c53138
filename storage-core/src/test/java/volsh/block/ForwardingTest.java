package volsh.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;

final class ForwardingTest implements BlockStoreContract {
    private record Plain(BlockStore delegate) implements Forwarding {}

    @Override
    public BlockStore open() {
        return new Plain(new MemoryBlockStore());
    }

    /** A method added to BlockStore as a default would silently skip the delegate. */
    @Test
    void everyMethodIsHandedOn() throws Exception {
        Method[] methods = Arrays.stream(BlockStore.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers())).toArray(Method[]::new);
        assertThat(methods).hasSizeGreaterThanOrEqualTo(5);
        for (Method method : methods) {
            assertThat(Forwarding.class.getDeclaredMethod(method.getName(), method.getParameterTypes()).isDefault())
                    .as(method.toString()).isTrue();
        }
    }
}
