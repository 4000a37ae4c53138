package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import volsh.engine.MetaEngine;
import volsh.engine.MetaEngineContract;
import volsh.engine.MetaEngineRaces;
import volsh.postgrestest.PostgresServer;

final class PostgresMetaEngineTest implements MetaEngineContract, MetaEngineRaces {
    private static final UUID VOLUME = UUID.randomUUID();
    private PostgresUrl url;

    @Override
    public MetaEngine open() throws Exception {
        if (url != null) {
            return PostgresMetaEngine.open(url, VOLUME);
        }
        url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        return PostgresMetaEngine.create(url, VOLUME);
    }

    @AfterEach
    void drop() throws Exception {
        PostgresMetaEngine.drop(url, VOLUME);
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public int rounds() {
        return Boolean.getBoolean("volsh.long") ? 1_000 : 25;
    }

    @Override
    public void afterClose(int acknowledged, int begun) throws Exception {
        try (var engine = open()) {
            assertThat(MetaEngineContract.count(engine, "n")).isBetween((long) acknowledged, (long) begun);
        }
    }
}
