package volsh.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.inventory.Row;
import volsh.inventory.Superblock;
import volsh.meta.PathRules;
import volsh.meta.Consistency;
import volsh.meta.Namespace;
import volsh.meta.Quotas;
import volsh.quota.Account;
import volsh.quota.QuotaRule;

/** Quotas of many, over many, counted while nothing else is there, and asked by many at once. */
final class QuotaScaleTest {
    private static final int RULES = Scale.LONG ? 20_000 : 450;
    private static final int SESSIONS = 901;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void ownersAndDirectoriesAreCounted(String kind) throws Exception {
        int files = kind.equals("sqlite") || Scale.LONG ? Scale.MANY : 300;
        try (var volume = Scale.on(kind, directory)) {
            long tree = volume.directory(Namespace.ROOT, "tree", 0);
            volume.smallFiles(tree, "f", files);
            var rules = new ArrayList<Row>();
            for (int i = 1; i <= RULES; i++) {
                rules.add(new Row.Quota(new QuotaRule(Account.user(1_000 + i), 1 << 20, 1 << 20, 0)));
            }
            Scale.put(volume.engine, rules);
            var quotas = new Quotas(volume.engine, volume.clock, volume.session());
            quotas.set(Account.user(0), QuotaRule.NONE, 1L << 30, counted -> {});
            quotas.set(tree, QuotaRule.NONE, 1L << 30, counted -> {});
            assertThat(quotas.list()).hasSize(RULES + 2);
            assertThat(quotas.of(Account.user(0)).orElseThrow().used().inodes()).as("with the root and the tree")
                    .isEqualTo(files + 2);
            assertThat(quotas.of(tree).orElseThrow().used().inodes()).isEqualTo(files + 1);
            assertThat(quotas.path(tree)).isEqualTo("/tree");
            volume.pass();
            volume.file("one", 3);
            assertThat(quotas.remove(tree, counted -> {})).isTrue();
            assertThat(quotas.of(tree)).isEmpty();
            assertThat(volume.problems()).isEmpty();
        }
    }

    /** Each reserves for itself; more than a transaction can add up are refused, and go on when others have left. */
    @Test
    void manySessionsUnderOneQuota() throws Exception {
        try (var volume = Scale.on("memory", directory)) {
            new Quotas(volume.engine, volume.clock, volume.session()).set(1L << 40, 1L << 40);
            var sessions = new ArrayList<Long>();
            volume.times(SESSIONS, engine ->
                    i -> sessions.add(new Superblock(engine, volume.clock).sessions().open("host", i, "writes").id()));
            int written = 0;
            try {
                for (; written < SESSIONS; written++) {
                    make(volume, sessions.get(written), written);
                }
            } catch (FsException busy) {
                assertThat(busy).hasMessageContaining("sessions already write under one quota");
            }
            assertThat(written).isGreaterThanOrEqualTo(899);
            int last = written;
            volume.times(500, engine -> i -> new Superblock(engine, volume.clock).sessions().end(sessions.get(i)));
            make(volume, sessions.get(last), last);
            assertThat(volume.problems()).isEmpty();
        }
    }

    private static void make(Scale volume, long session, int number) throws Exception {
        new Namespace(volume.engine, volume.clock, session)
                .makeNode(Namespace.ROOT, Name.of("f" + number), FileKind.REGULAR, 0644, Owner.ROOT, 0);
    }

    @Test
    void manyDirectoriesWithAPolicy() throws Exception {
        try (var volume = Scale.on("sqlite", directory)) {
            volume.times(1_000, engine ->
                    i -> PathRules.consistency(engine).set(i + 10, "/data/of/run/" + i, Consistency.of("strict")));
            var rules = PathRules.consistency(volume.engine);
            assertThat(rules.rules()).hasSize(1_000);
            assertThatThrownBy(() -> rules.set(5, "/one/more", Consistency.of("strict")))
                    .hasMessageContaining("1000 directories");
            assertThat(rules.unset(10)).isTrue();
            rules.set(5, "/one/more", Consistency.of("strict"));
        }
    }
}
