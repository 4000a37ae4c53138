package volsh.meta.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import volsh.meta.MetaEngine;
import volsh.meta.MetaEngineContract;

final class SqliteMetaEngineTest implements MetaEngineContract {
    @TempDir
    Path directory;

    @Override
    public MetaEngine open() throws IOException {
        var path = directory.resolve("odd name? #%20é.db");
        return Files.exists(path) ? SqliteMetaEngine.open(path) : SqliteMetaEngine.create(path);
    }

    @Override
    public boolean isShared() {
        return true;
    }
}
