package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.command.tree.Scratch.Ended;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.meta.EngineKind;
import volsh.postgrestest.PostgresServer;

/**
 * Rows of every kind (docs/FORMAT.md) with a checksum that matches and bytes that cannot be: empty, short, long,
 * negative, random. Commands end as if nothing was wrong, or with 7, the row and the hint; never with 1, 2 or 3, for it
 * is not the user who did something wrong.
 */
@Timeout(900)
@ParameterizedClass(name = "{0}")
@EnumSource(value = EngineKind.class, names = {"SQLITE", "POSTGRES"})
final class DamagedRowsTest {
    private static final int INTEGRITY = 7;
    private static final int NO_SPACE = 8;
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    /** What most commands do, for kinds that every one of them meets. */
    private static final List<String> USUAL = List.of("put -q %new data:/new", "ls -l data:/d", "volume show data");

    @TempDir
    Path directory;
    private FileHome home;
    private final EngineKind kind;
    private final String database = PostgresServer.freshName();
    private Map<MetaKey, byte[]> whole;
    private Map<String, List<MetaKey>> rows;

    DamagedRowsTest(EngineKind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void fill() throws Exception {
        home = kind == EngineKind.POSTGRES ? new FileHome(directory, PostgresServer.shared().url(), database)
                : new FileHome(directory);
        home.text("new", "new");
        home.text("t/d/first", "one");
        home.text("t/d/second", "the weights are 1000");
        home.file("t/d/large", 200_000);
        Files.createSymbolicLink(home.local("t/d/link"), Path.of("first"));
        succeed("put -q -r %t/. data:/");
        succeed("volume set data retention=30d");
        succeed("snapshot create data@v1");
        succeed("put -q %new data:/d/first");
        succeed("rm -q data:/d/second");
        succeed("put -q %t/d/second data:/d/second");
        succeed("quota set data 1TiB");
        succeed("quota set data --user 0 1TiB");
        succeed("consistency set data:/ relaxed:30s");
        try (var engine = engine()) {
            whole = all(engine);
        }
        rows = new LinkedHashMap<>();
        whole.keySet().forEach(key -> rows.computeIfAbsent(kind(key), kind -> new ArrayList<>()).add(key));
    }

    private MetaEngine engine() throws Exception {
        var id = home.scratch().volumes().find("data").id();
        return kind == EngineKind.POSTGRES
                ? PostgresMetaEngine.open(PostgresUrl.of(PostgresServer.shared().url()).withVolume(database), id)
                : SqliteMetaEngine.open(home.scratch().homes().state().resolve("volumes/%s/meta.db".formatted(id)));
    }

    private static Map<MetaKey, byte[]> all(MetaEngine engine) throws Exception {
        var found = new LinkedHashMap<MetaKey, byte[]>();
        engine.read(tx -> tx.scan(MetaKey.of((byte) 1), MetaKey.of((byte) 0xfe), 10_000))
                .forEach(row -> found.put(row.key(), row.value()));
        return found;
    }

    /** Runs a line; {@code %} before a word stands for the directory of local files. */
    private Ended run(String line) {
        return home.scratch().run(line.replace("%", directory + "/"));
    }

    private void succeed(String line) {
        var ended = run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
    }

    private static String kind(MetaKey key) {
        char kind = (char) key.bytes()[0];
        return kind == 'q' ? "q" + (char) key.bytes()[1] : kind == 'v' ? new String(key.bytes(),
                StandardCharsets.US_ASCII) : kind == 'n' && key.bytes()[1] < 2 ? "n" + key.bytes()[1]
                : String.valueOf(kind);
    }

    private static MetaKey key(char kind, long... numbers) {
        var key = ByteBuffer.allocate(1 + 8 * numbers.length).put((byte) kind);
        for (long number : numbers) {
            key.putLong(number);
        }
        return MetaKey.of(key.array());
    }

    private static MetaKey key(char kind, byte[] rest) {
        return MetaKey.of(ByteBuffer.allocate(1 + rest.length).put((byte) kind).put(rest).array());
    }

    /** A row to damage, and the lines that meet it. */
    private record Case(String kind, MetaKey key, List<String> lines) {}

    private MetaKey there(String kind) {
        assertThat(rows).as("the volume has rows of kind %s", kind).containsKey(kind);
        return rows.get(kind).getLast();
    }

    private List<Case> cases() {
        long block = ByteBuffer.wrap(there("b").bytes()).getLong(1);
        var cases = new ArrayList<Case>();
        cases.add(new Case("inode", there("N"), List.of("ls -l data:/d", "get -q -r data:/d %got", "du data:/")));
        cases.add(new Case("entry", there("E"), List.of("ls data:/d", "rm -q -y -r data:/d")));
        cases.add(new Case("extent", there("X"), List.of("cat data:/d/large", "rm -q data:/d/large")));
        cases.add(new Case("inline data", there("D"), List.of("get -q -r data:/d %got")));
        cases.add(new Case("link target", there("L"), List.of("ls -l data:/d", "stat data:/d/link")));
        cases.add(new Case("history", there("h"), List.of("history data:/d/first", "ls -l data@v1:/d",
                "get -q -r data@v1:/d %got", "volume gc data --delete")));
        cases.add(new Case("what a name led to", key('e', ByteBuffer.allocate(8 + 4 + 1 + 16).putLong(2)
                .put("gone".getBytes(StandardCharsets.US_ASCII)).put((byte) 0).putLong(5).putLong(7).array()),
                List.of("ls data:/d", "volume gc data --delete")));
        cases.add(new Case("block", there("b"), List.of("cat data:/d/large", "rm -q data:/d/large")));
        cases.add(new Case("uses", key('u', block), List.of("rm -q data:/d/large", "volume gc data --delete")));
        cases.add(new Case("dead block", key('d', 1, block), List.of("volume gc data --delete")));
        cases.add(new Case("orphan", key('o', 1, 99), List.of("volume gc data --delete")));
        cases.add(new Case("session", key('s', 77),
                List.of("volume sessions data", "put -q %new data:/new", "volume gc data --delete")));
        cases.add(new Case("directory counters", there("S"),
                List.of("ls -l data:/d", "rm -q data:/d/first", "put -q %new data:/new")));
        cases.add(new Case("usage", there("U"), List.of("df data", "put -q %new data:/new")));
        cases.add(new Case("tick", there("t"), USUAL));
        cases.add(new Case("retained", there("r"), USUAL));
        rows.get("c").forEach(counter -> cases.add(new Case("numbers", counter, USUAL)));
        cases.add(new Case("journal", key('p', 1, 2),
                List.of("volume show data", "durability data:/d", "volume destroy data --confirm data --dry-run")));
        cases.add(new Case("pack", key('P', 7), List.of("volume gc data --delete")));
        cases.add(new Case("place", key('l', block), List.of("cat data:/d/large", "rm -q data:/d/large")));
        cases.add(new Case("digest", key('i', new byte[16]), List.of("volume gc data --delete")));
        cases.add(new Case("digest of a block", key('i', block),
                List.of("rm -q data:/d/large", "volume gc data --delete")));
        cases.add(new Case("snapshot", there("n"),
                List.of("snapshot list data", "snapshot show data@v1", "snapshot destroy data@v1 -y")));
        cases.add(new Case("tick of a snapshot", there("n0"), List.of("snapshot destroy data@v1 -y")));
        cases.add(new Case("reader", key('n', ByteBuffer.allocate(17).put((byte) 1).putLong(5).putLong(6).array()),
                List.of("snapshot destroy data@v1 -y", "volume gc data --delete")));
        cases.add(new Case("locks", key('f', ByteBuffer.allocate(9).putLong(2).put((byte) 1).array()),
                List.of("volume sessions data", "volume gc data --delete")));
        cases.add(new Case("waits for locks", key('f',
                ByteBuffer.allocate(17).putLong(0).put((byte) 2).putLong(9).array()), List.of("volume sessions data")));
        for (var kind : List.of("qr", "qu", "qv", "qc")) {
            cases.add(new Case("quota " + kind, there(kind), List.of("quota list data", "put -q %new data:/new")));
        }
        var account = Arrays.copyOfRange(there("qr").bytes(), 1, there("qr").bytes().length);
        cases.add(new Case("promised quota", key('q', ByteBuffer.allocate(account.length + 8)
                .put((byte) 'p').put(account, 1, account.length - 1).putLong(9).array()),
                List.of("quota list data", "put -q %new data:/new")));
        cases.add(new Case("layout", key('z', 1), List.of("cat data:/d/large", "volume show data")));
        cases.add(new Case("missing part", key('m', 1, block), List.of("volume gc data --delete", "volume show data")));
        cases.add(new Case("turns of gc", key('y', new byte[] {'g'}),
                List.of("volume show data", "volume gc data --delete")));
        rows.keySet().stream().filter(kind -> kind.startsWith("v")).forEach(setting ->
                cases.add(new Case("setting " + setting, there(setting), List.of("volume show data",
                        "consistency list data", "put -q %new data:/new", "cat data:/d/large"))));
        for (var name : List.of("gc", "cache-lifetimes", "digest-key")) {
            cases.add(new Case("setting " + name, key('v', name.getBytes(StandardCharsets.US_ASCII)),
                    List.of("volume show data", "cat data:/d/large")));
        }
        cases.add(new Case("setting", key('v', "sole-writer".getBytes(StandardCharsets.US_ASCII)), USUAL));
        return cases;
    }

    private List<Case> some(Random random) {
        var all = cases();
        if (!LONG && kind == EngineKind.POSTGRES) {
            Collections.shuffle(all, random);
            return all.subList(0, 6);
        }
        return all;
    }

    private static List<byte[]> values(Random random, byte[] right) {
        byte[] negative = right.clone();
        Arrays.fill(negative, (byte) 0xff);
        byte[] noise = new byte[random.nextInt(1, 200)];
        random.nextBytes(noise);
        byte[] sameLength = new byte[right.length];
        random.nextBytes(sameLength);
        if (right.length > 0 && random.nextBoolean()) {
            sameLength[0] = right[0];   // rows that begin with their form are read further then
        }
        return List.of(new byte[0], Arrays.copyOf(right, right.length / 2), Arrays.copyOf(right, right.length + 3),
                negative, noise, sameLength);
    }

    private byte[] stored(MetaKey key) {
        byte[] value = whole.get(key);
        return value == null ? new byte[] {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} : value;
    }

    /** All rows are as they were, but for this one. */
    private void plant(MetaKey key, byte[] value) throws Exception {
        try (var engine = engine()) {
            var now = all(engine);
            engine.transact(tx -> {
                for (var changed : now.keySet()) {
                    if (!whole.containsKey(changed)) {
                        tx.delete(changed);
                    }
                }
                for (var row : whole.entrySet()) {
                    if (!Arrays.equals(row.getValue(), now.get(row.getKey()))) {
                        tx.put(row.getKey(), row.getValue());
                    }
                }
                tx.put(key, value);
                return null;
            });
        }
    }

    @Test
    void noRowOfAnyKindMakesACommandFailOtherwiseThanWithSeven() throws Exception {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        var random = new Random(seed);
        var wrong = new TreeSet<String>();
        var told = new TreeSet<String>();
        int runs = 0;
        for (var each : some(random)) {
            byte[] right = stored(each.key());
            var values = new ArrayList<>(values(random, right));
            for (int more = 0; more < (LONG ? 30 : 0); more++) {
                values.addAll(values(random, right).subList(4, 6));
            }
            for (byte[] value : LONG ? values : List.of(values.get(runs % 3), values.get(3 + random.nextInt(3)))) {
                plant(each.key(), value);
                var lines = LONG ? each.lines() : List.of(each.lines().get(random.nextInt(each.lines().size())));
                for (var line : lines) {
                    var ended = run(line);
                    runs++;
                    if (ended.status() == INTEGRITY && ended.err().contains("volsh volume check data")) {
                        told.add(each.kind());
                    }
                    boolean told7 = ended.status() == INTEGRITY && ended.err().contains("volsh volume check data");
                    // a count like any other, but for a check
                    boolean counted = ended.status() == NO_SPACE && each.kind().matches("usage|.*quota.*");
                    if (ended.status() != 0 && !told7 && !counted || ended.err().contains("Exception")
                            || ended.err().contains("internal error")) {
                        wrong.add("%s, %d bytes: %s ends with %d: %s".formatted(each.kind(), value.length, line,
                                ended.status(), ended.err().strip().lines().limit(4).toList()));
                    }
                }
            }
        }
        System.out.println("damaged rows, seed %d: %d lines run, kinds told: %s".formatted(seed, runs, told));
        assertThat(wrong).as("seed %d", seed).isEmpty();
        assertThat(told).as("some row of nearly every kind was met")
                .hasSizeGreaterThan(LONG ? 30 : kind == EngineKind.POSTGRES ? 0 : 15);
    }

    /** A row that is cut short is found by a check, whatever its kind, and a repair leaves a volume that works. */
    @Test
    void aShortRowOfEveryKindIsFoundByACheck() throws Exception {
        var missed = new TreeSet<String>();
        var cases = cases();
        int step = LONG ? 1 : kind == EngineKind.POSTGRES ? 25 : 8;   // each line takes several round trips there
        for (int i = new Random().nextInt(step); i < cases.size(); i += step) {
            var each = cases.get(i);
            if (each.kind().startsWith("setting") && !each.kind().equals("setting vvolume")
                    || each.kind().equals("layout")) {
                continue;   // texts, of any length
            }
            byte[] right = stored(each.key());
            plant(each.key(), Arrays.copyOf(right,
                    right.length == 0 ? 3 : each.kind().startsWith("setting") ? right.length / 2 : right.length - 1));
            var check = run("volume check data");
            if (check.status() != INTEGRITY) {
                missed.add("%s: check ends with %d %s".formatted(each.kind(), check.status(), check.err()));
            }
            var repair = run("volume check data --repair");
            if (repair.status() != 0 && repair.status() != INTEGRITY) {
                missed.add("%s: repair ends with %d %s".formatted(each.kind(), repair.status(), repair.err()));
            }
            var after = run("put -q %new data:/new");
            if (after.status() != 0 && after.status() != INTEGRITY) {
                missed.add("%s: after a repair put ends with %d %s".formatted(each.kind(), after.status(),
                        after.err()));
            }
        }
        assertThat(missed).isEmpty();
    }
}
