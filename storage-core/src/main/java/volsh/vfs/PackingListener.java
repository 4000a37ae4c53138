package volsh.vfs;

import java.io.IOException;

/** Is told how packing small files gets on, and may slow it down or stop it. */
public interface PackingListener {
    /** Nobody listens. */
    PackingListener NONE = new PackingListener() {};

    /** So many more files were looked at. */
    default void looked(long files) throws IOException {}

    /** So many more bytes were stored again. */
    default void stored(long bytes) throws IOException {}

    default boolean stopped() {
        return false;
    }
}
