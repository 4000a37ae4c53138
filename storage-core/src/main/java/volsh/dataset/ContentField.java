package volsh.dataset;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import volsh.shard.Field;

/** A field whose bytes are in memory. The array is not copied. */
record ContentField(String name, byte[] content) implements Field {
    static ContentField of(String name, String text) {
        return new ContentField(name, text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public long size() {
        return content.length;
    }

    @Override
    public InputStream open() {
        return new ByteArrayInputStream(content);
    }
}
