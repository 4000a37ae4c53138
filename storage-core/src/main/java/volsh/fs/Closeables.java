package volsh.fs;

import java.io.IOException;

/** Closes several things, each of them even when others fail. */
public final class Closeables {
    private Closeables() {}

    /** Closes one of them. */
    public interface Closer<T> {
        void close(T part) throws IOException;
    }

    /** Closes all in this order; throws the first failure, which carries the later ones as suppressed. */
    public static <T> void closeAll(Iterable<? extends T> parts, Closer<T> closer) throws IOException {
        IOException first = null;
        for (T part : parts) {
            try {
                closer.close(part);
            } catch (IOException failed) {
                if (first == null) {
                    first = failed;
                } else if (first != failed) {
                    first.addSuppressed(failed);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
