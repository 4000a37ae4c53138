package volsh;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import volsh.vfs.Vfs;

/** Central classes stay small: a new method belongs in the object that does the work, not in a forwarder here. */
final class FacadesTest {
    private static final int VFS_METHODS_MAX = 45;

    @Test
    void vfsIsTheVerbsOfPosix() {
        assertThat(tooWide(Vfs.class, VFS_METHODS_MAX)).isEmpty();
    }

    @Test
    void aClassWithMoreMethodsIsFound() {
        assertThat(tooWide(Iterator.class, 4)).isEmpty();
        assertThat(tooWide(Iterator.class, 3)).hasValue("java.util.Iterator has 4 public methods, at most 3 are"
                + " allowed; put a new one where the work is done: [forEachRemaining, hasNext, next, remove]");
    }

    /** A complaint if the class declares more public methods than that; constructors do not count. */
    private static Optional<String> tooWide(Class<?> type, int most) {
        List<String> methods = Stream.of(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
                .map(Method::getName).sorted().toList();
        return methods.size() <= most ? Optional.empty()
                : Optional.of(("%s has %d public methods, at most %d are allowed;"
                        + " put a new one where the work is done: %s")
                        .formatted(type.getCanonicalName(), methods.size(), most, methods));
    }
}
