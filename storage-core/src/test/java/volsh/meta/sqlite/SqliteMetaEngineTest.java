package volsh.meta.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import volsh.meta.MetaEngine;
import volsh.meta.MetaEngineContract;
import volsh.meta.MetaEngineRaces;

final class SqliteMetaEngineTest implements MetaEngineContract, MetaEngineRaces {
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

    @Override
    public int rounds() {
        return Boolean.getBoolean("volsh.long") ? 5_000 : 200;
    }

    @Override
    public void afterClose(int acknowledged, int begun) throws Exception {
        try (var engine = open()) {
            assertThat(MetaEngineContract.count(engine, "n")).isBetween((long) acknowledged, (long) begun);
        }
    }
}
