package volsh.shard;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A named value of a sample, such as {@code jpg} or {@code cls}: its size is known before its bytes are read. */
public interface Field {
    /** The extension without the leading dot, such as {@code jpg} or {@code seg.png}. */
    String name();

    long size();

    /** A new stream of exactly {@link #size} bytes; fails if the bytes cannot be read or are fewer or more. */
    InputStream open() throws IOException;

    /** A small field in memory. */
    static Field of(String name, byte[] bytes) {
        return new Field() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public long size() {
                return bytes.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes);
            }
        };
    }
}
