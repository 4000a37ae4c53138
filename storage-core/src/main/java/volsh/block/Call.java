package volsh.block;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A call of a store, to be made later, repeatedly, or not at all. */
public interface Call<R extends @Nullable Object> {
    R run() throws IOException;

    /** A call without a result. */
    static Call<@Nullable Void> of(Action action) {
        return () -> {
            action.run();
            return null;
        };
    }

    interface Action {
        void run() throws IOException;
    }
}
