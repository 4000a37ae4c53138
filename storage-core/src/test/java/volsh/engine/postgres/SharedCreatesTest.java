package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaEngine;
import volsh.engine.Race;
import volsh.fs.AttributeChange;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.inventory.Superblock;
import volsh.meta.Namespace;
import volsh.postgrestest.PostgresServer;

/**
 * Clients that make files of different names in one directory are not in each other's way. The clock stands still: a
 * new tick is a conflict.
 */
final class SharedCreatesTest {
    private static final int CLIENTS = 4;
    private static final int FILES = Boolean.getBoolean("volsh.long") ? 2_000 : 40;
    private static final UUID VOLUME = UUID.randomUUID();

    private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z"));
    private final List<PostgresMetaEngine> engines = new ArrayList<>();
    private final List<Namespace> clients = new ArrayList<>();
    private PostgresUrl url;

    @BeforeEach
    void open() throws Exception {
        url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        engines.add(PostgresMetaEngine.create(url, VOLUME));
        new Superblock(engines.getFirst(), clock).format(Owner.ROOT, 0755, "made", new byte[0]);
        for (int client = 0; client < CLIENTS; client++) {
            if (client > 0) {
                engines.add(PostgresMetaEngine.open(url, VOLUME));
            }
            var engine = engines.getLast();
            clients.add(new Namespace(engine, clock,
                    new Superblock(engine, clock).sessions().open("test", client, "test").id()));
            // takes numbers for inodes
            clients.getLast().makeNode(Namespace.ROOT, Name.of("first" + client), FileKind.REGULAR, 0644, Owner.ROOT,
                    0);
        }
    }

    @AfterEach
    void drop() throws Exception {
        engines.forEach(PostgresMetaEngine::close);
        PostgresMetaEngine.drop(url, VOLUME);
    }

    private long reruns() {
        return engines.stream().map(MetaEngine::counts).mapToLong(MetaEngine.Counts::reruns).sum();
    }

    @Test
    void namesThatDifferDoNotConflict() throws Exception {
        long before = reruns();
        Race.of(CLIENTS, FILES, (client, i) -> clients.get(client).makeNode(
                Namespace.ROOT, Name.of("f%d-%d".formatted(client, i)), FileKind.REGULAR, 0644, Owner.ROOT, 0));
        assertThat(clients.getFirst().list(Namespace.ROOT, null, 10_000)).hasSize(CLIENTS * (FILES + 1));
        long numbers = CLIENTS * (FILES / 1000);   // who takes more numbers for inodes may meet another
        assertThat(reruns() - before).as("runs in vain").isLessThanOrEqualTo(numbers);
        Race.of(CLIENTS, FILES,
                (client, i) -> clients.get(client).unlink(Namespace.ROOT, Name.of("f%d-%d".formatted(client, i))));
        assertThat(reruns() - before).as("of removals, too").isLessThanOrEqualTo(numbers);
        assertThat(engines.stream().map(MetaEngine::counts)).allMatch(counts -> counts.commits() >= 2 * FILES);
    }

    /** What does conflict is counted. */
    @Test
    void changesOfOneFileDoConflict() throws Exception {
        long ino = clients.getFirst().lookup(Namespace.ROOT, Name.of("first0")).ino();
        long before = reruns();
        Race.of(CLIENTS, 40,
                (client, i) -> clients.get(client).change(ino, AttributeChange.NONE.withMode(0600 | i % 8)));
        assertThat(reruns() - before).isPositive();
    }
}
