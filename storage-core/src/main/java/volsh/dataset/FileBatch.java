package volsh.dataset;

import java.io.IOException;
import volsh.shard.Field;

/** Files that are created one after another; each appears when it is complete, at the latest with the commit. */
public interface FileBatch extends AutoCloseable {
    /** @throws volsh.catalog.Refusal CONFLICT if the file exists and must not be replaced */
    void add(String name, Field content) throws IOException;

    /** Makes all files added so far appear. More may follow. */
    void commit() throws IOException;

    /** Discards what was not committed. */
    @Override
    void close() throws IOException;
}
