package volsh.vfs;

import java.io.IOException;

/** Is told how packing small files gets on, and may slow it down or stop it. */
public interface PackingListener {
    /** Listens to nothing. */
    PackingListener NONE = new PackingListener() {};

    /** This many more files were examined. */
    default void looked(long files) throws IOException {}

    /** This many more bytes were stored again. */
    default void stored(long bytes) throws IOException {}

    default boolean stopped() {
        return false;
    }
}
