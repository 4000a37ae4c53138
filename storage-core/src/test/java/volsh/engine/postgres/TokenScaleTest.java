package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.Namespace;
import volsh.postgrestest.PostgresServer;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** More tokens than a transaction of the server has locks for, and a deep tree with more entries than a page. */
final class TokenScaleTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int TOKENS = LONG ? 1_000 : 120;
    private static final int PAGE = 100;
    private static final int DEPTH = 60;
    private static final int FILES = LONG ? 20_000 : 250;
    private static final ChunkSettings SETTINGS = new ChunkSettings(4096, 100, 1 << 20);

    private static PostgresServer server;
    private PostgresUrl owner;

    @BeforeAll
    static void start() throws Exception {
        server = PostgresServer.withFewLocks();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @BeforeEach
    void name() throws Exception {
        owner = PostgresUrl.of(server.lockedUrl()).withVolume(PostgresServer.freshName());
    }

    @Test
    void manyTokensAreListedRevokedAndGoWithTheirVolume() throws Exception {
        var made = new ArrayList<String>();
        try (var engine = PostgresMetaEngine.create(owner, TestVolume.ID)) {
            var vfs = TestVolume.open(engine, new MemoryBlockStore(), SETTINGS, Runnable::run, Instant::now).vfs();
            for (int i = 0; i < TOKENS; i++) {
                Optional<Token.Place> place = i % 20 != 0 ? Optional.empty()
                        : Optional.of(new Token.Place("/d" + i, directory(vfs, Vfs.ROOT, "d" + i)));
                made.add(create(place, place.isPresent()).token().id());
            }
            assertThat(PostgresMetaEngine.tokens(owner, TestVolume.ID)).extracting(Token::id)
                    .containsExactlyInAnyOrderElementsOf(made);
            assertThat(PostgresMetaEngine.revokeToken(owner, TestVolume.ID, made.getLast())).isTrue();
            assertThat(roles(made)).hasSize(TOKENS - 1).doesNotContain(PostgresUrl.TOKEN + made.getLast());
        }
        PostgresMetaEngine.drop(owner, TestVolume.ID);
        assertThat(roles(made)).isEmpty();
    }

    @Test
    void aDeepTreeOfManyFilesIsReadByATokenOfItsPath() throws Exception {
        try (var engine = PostgresMetaEngine.create(owner, TestVolume.ID)) {
            var vfs = TestVolume.open(engine, new MemoryBlockStore(), SETTINGS, Runnable::run, Instant::now).vfs();
            long top = directory(vfs, Vfs.ROOT, "top");
            long at = top;
            for (int i = 0; i < DEPTH; i++) {
                at = directory(vfs, at, "d" + i);
            }
            var names = new ArrayList<String>();
            for (int i = 0; i < FILES; i++) {
                names.add("f" + i);
                vfs.create(at, Name.of("f" + i), 0644, Owner.ROOT).close();
            }
            var url = create(Optional.of(new Token.Place("/top", top)), true).url();
            try (var limited = PostgresMetaEngine.open(url, TestVolume.ID)) {
                var seen = new Namespace(limited, Instant::now, 0);
                long down = top;
                for (int i = 0; i < DEPTH; i++) {
                    down = seen.lookup(down, Name.of("d" + i)).ino();
                }
                assertThat(down).isEqualTo(at);
                assertThat(listed(seen, down)).containsExactlyInAnyOrderElementsOf(names);
            }
        }
        PostgresMetaEngine.drop(owner, TestVolume.ID);
    }

    private static List<String> listed(Namespace names, long directory) throws IOException {
        var found = new ArrayList<String>();
        Name after = null;
        while (true) {
            var page = names.list(directory, after, PAGE);
            if (page.isEmpty()) {
                return found;
            }
            page.forEach(entry -> found.add(entry.name().toString()));
            after = page.getLast().name();
        }
    }

    private static long directory(Vfs vfs, long parent, String name) throws IOException {
        return vfs.makeDirectory(parent, Name.of(name), 0755, Owner.ROOT).ino();
    }

    private Token.Made create(Optional<Token.Place> place, boolean readOnly) throws IOException {
        return PostgresMetaEngine.createToken(owner, TestVolume.ID,
                new Token.Wish(place, readOnly, Optional.empty(), "a test"));
    }

    /** Which of these tokens the server knows as roles. */
    private List<String> roles(List<String> tokens) throws SQLException {
        var found = new ArrayList<String>();
        var url = owner;
        try (var connection = new PostgresConnections(url).open(); var statement = connection.createStatement();
                var result = statement.executeQuery("SELECT rolname FROM pg_roles")) {
            while (result.next()) {
                String role = result.getString(1);
                if (role.startsWith(PostgresUrl.TOKEN) && tokens.contains(role.substring(PostgresUrl.TOKEN.length()))) {
                    found.add(role);
                }
            }
        }
        return found;
    }
}
