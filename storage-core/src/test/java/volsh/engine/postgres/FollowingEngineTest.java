package volsh.engine.postgres;

import java.time.InstantSource;
import java.util.Collection;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import volsh.engine.MetaEngine;
import volsh.engine.MetaEngineContract;
import volsh.engine.MetaEngineRaces;
import volsh.engine.MetaKey;
import volsh.postgrestest.PostgresServer;

/**
 * Engines that remember what they have read race as those that ask each time do; with the whole contract under
 * {@code --long}.
 */
final class FollowingEngineTest implements MetaEngineRaces {
    private static final UUID VOLUME = UUID.randomUUID();
    private PostgresUrl url;

    /** Does nothing with what it hears. */
    static final MetaEngine.Follower NOBODY = new MetaEngine.Follower() {
        @Override
        public void changed(Collection<MetaKey> keys) {}

        @Override
        public void lostTrack() {}
    };

    @Override
    public MetaEngine open() throws Exception {
        if (url == null) {
            url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
            PostgresMetaEngine.create(url, VOLUME).close();
        }
        var engine = PostgresMetaEngine.open(url, VOLUME, PostgresLimits.standard().with(ChangeLogTest.EAGER),
                InstantSource.system());
        engine.follow(NOBODY);
        return engine;
    }

    @Nested
    @EnabledIfSystemProperty(named = "volsh.long", matches = "true",
            disabledReason = "the contract of an engine that remembers is for --long")
    final class WholeContract implements MetaEngineContract {
        @Override
        public MetaEngine open() throws Exception {
            return FollowingEngineTest.this.open();
        }

        @Override
        public boolean isShared() {
            return true;
        }
    }

    @AfterEach
    void drop() throws Exception {
        PostgresMetaEngine.drop(url, VOLUME);
    }

    @Override
    public int rounds() {
        return Boolean.getBoolean("volsh.long") ? 1_000 : 10;
    }
}
