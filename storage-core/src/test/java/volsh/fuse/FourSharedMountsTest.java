package volsh.fuse;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.postgrestest.PostgresServer;

/** With metadata in PostgreSQL, where the four remember what they have read. Of no hint they hear. */
@EnabledIfSystemProperty(named = "volsh.long", matches = "true",
        disabledReason = "four mounts with PostgreSQL are for --long: SharedMountsTest has two")
@Tag("mount")
final class FourSharedMountsTest extends FourMounts {
    private PostgresUrl url;

    @Override
    void prepare(Path home) throws Exception {
        url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        PostgresMetaEngine.create(url, MountedProcess.VOLUME).close();
        PostgresServer.shared().sql("volsh",
                "CREATE OR REPLACE FUNCTION \"volsh_%s\".hint() RETURNS void LANGUAGE sql AS ''"
                        .formatted(url.volume()));
        MountedProcess.setDatabase(home, url);
    }

    /** A lock is handed over in 8 ms on average. */
    @Override
    int counts() {
        return 300;
    }

    @AfterAll
    void drop() throws Exception {
        if (url != null) {
            PostgresMetaEngine.drop(url, MountedProcess.VOLUME);
        }
    }
}
