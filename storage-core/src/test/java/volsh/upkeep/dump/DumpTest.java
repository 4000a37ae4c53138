package volsh.upkeep.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.BlockRow;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.inventory.Row;
import volsh.meta.MetadataAudit;
import volsh.meta.Ticks;
import volsh.postgrestest.PostgresServer;
import volsh.upkeep.Cursor;
import volsh.upkeep.Specimen;
import volsh.upkeep.Watcher;
import volsh.upkeep.check.Check;
import volsh.upkeep.check.CheckOptions;
import volsh.upkeep.check.CheckReport;
import volsh.vfs.ManualClock;
import volsh.vfs.Program;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;
import volsh.vfs.VfsPosix;

/** A dump holds everything a volume has, as of one moment; of one that was changed in any way nothing is made. */
final class DumpTest {
    private static final int MUTATIONS = Boolean.getBoolean("volsh.long") ? 100_000 : 3000;
    private static final DumpLoader.Blocks STAY = new DumpLoader.Blocks() {
        @Override
        public Future<BlockRow> take(BlockRow row, Optional<Row.Place> place) {
            return CompletableFuture.completedFuture(row);
        }

        @Override
        public boolean stay() {
            return true;
        }
    };

    @TempDir
    private Path directory;

    private record Written(byte[] text, Dump.Summary summary) {}

    private Written dump(MetaEngine engine) throws IOException {
        return dump(engine, Watcher.NONE);
    }

    private Written dump(MetaEngine engine, Watcher watcher) throws IOException {
        var out = new ByteArrayOutputStream();
        var summary = new Dump(engine, new Ticks(engine, new ManualClock()),
                directory).run("{}", List.of("mem://x"), out, watcher);
        return new Written(out.toByteArray(), summary);
    }

    private void load(byte[] text, MetaEngine engine) throws IOException {
        new DumpLoader(engine, directory, STAY, Watcher.NONE)
                .run(new DumpLoader.Source(new ByteArrayInputStream(text)));
    }

    private CheckReport check(MetaEngine engine, BlockStore store) throws IOException {
        return new Check(engine, store, Specimen.ID, directory, OptionalLong.empty())
                .run(CheckOptions.QUICK, Watcher.NONE);
    }

    /** From engine to engine and back: always the same rows. */
    @Test
    void whatIsLoadedDumpsTheSame() throws Exception {
        var url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        for (long seed = 21; seed < 24; seed++) {
            var origin = Specimen.make(new MemoryMetaEngine(), directory, seed, 400);
            var first = dump(origin.engine);
            try (var sqlite = SqliteMetaEngine.create(directory.resolve(seed + ".db"));
                    var postgres = PostgresMetaEngine.create(url.withVolume(PostgresServer.freshName()),
                            UUID.randomUUID())) {
                load(first.text(), sqlite);
                assertThat(check(sqlite, origin.store).problems().stream()
                        .filter(problem -> !problem.damage().isHarmless())).isEmpty();
                assertThat(MetadataAudit.of(sqlite).withNeeded(origin.store).problems()).isEmpty();
                assertThat(rows(sqlite)).isEqualTo(rows(origin.engine));
                var second = dump(sqlite);
                assertThat(second.summary()).isEqualTo(first.summary());
                if (seed == 21) {
                    load(second.text(), postgres);
                    assertThat(dump(postgres).summary()).isEqualTo(first.summary());
                    var back = new MemoryMetaEngine();
                    load(dump(postgres).text(), back);
                    assertThat(dump(back).summary()).isEqualTo(first.summary());
                }
            }
        }
    }

    /** The tree as rows of the name space. */
    private static String rows(MetaEngine engine) throws IOException {
        var text = new StringBuilder();
        for (char kind : "ADELNX".toCharArray()) {
            var rows = Cursor.of(engine, kind, Watcher.NONE);
            while (rows.peek() != null) {
                var row = rows.next();
                text.append(row.key()).append(' ').append(HexFormat.of().formatHex(row.value())).append('\n');
            }
        }
        return text.toString();
    }

    /** Files are made, renamed, overwritten and removed between any two pages: the dump is of the moment it began. */
    @Test
    void aDumpIsOfOneMoment() throws IOException {
        var clock = new ManualClock();
        var engine = new MemoryMetaEngine();
        var store = new MemoryBlockStore();
        try (var volume = TestVolume.open(engine, store, new ChunkSettings(4096, 100, 1 << 20), Runnable::run, clock)) {
            var vfs = volume.vfs();
            for (int i = 0; i < 700; i++) {
                try (var file = vfs.create(Vfs.ROOT, Name.of("f" + i), 0644, Owner.ROOT)) {
                    file.write(0, ByteBuffer.allocate(i % 3 == 0 ? 5000 : 10).put((byte) i).rewind());
                }
            }
            var before = new Program(new VfsPosix(vfs), attributes -> attributes.ino() + " " + attributes.size())
                    .tree();
            var random = new Random(7);
            int[] changes = {0};
            var written = dump(engine, clock, () -> {
                clock.advance(Duration.ofSeconds(1));
                for (int i = 0; i < 20; i++) {
                    disturb(vfs, random, changes[0]++);
                }
            });
            assertThat(changes[0]).isGreaterThan(100);
            var loaded = new MemoryMetaEngine();
            load(written.text(), loaded);
            assertThat(MetadataAudit.of(loaded).withNeeded(store).problems()).isEmpty();
            loaded.transact(tx -> {
                tx.put(volsh.engine.KeyFacts.setting("made"), new byte[0]);
                return null;
            });
            try (var copy = TestVolume.open(loaded, store, new ChunkSettings(4096, 100, 1 << 20), Runnable::run,
                    clock)) {
                assertThat(new Program(new VfsPosix(copy.vfs()),
                        attributes -> attributes.ino() + " " + attributes.size()).tree()).isEqualTo(before);
            }
        }
    }

    private Written dump(MetaEngine engine, ManualClock clock, Runnable meanwhile) throws IOException {
        var out = new ByteArrayOutputStream();
        var summary = new Dump(engine, new Ticks(engine, clock), directory)
                .run("{}", List.of("mem://x"), out, new Watcher() {
            @Override
            public void advanced(long amount) {
                meanwhile.run();
            }
        });
        return new Written(out.toByteArray(), summary);
    }

    private static void disturb(Vfs vfs, Random random, int number) {
        try {
            var name = Name.of("f" + random.nextInt(700));
            switch (random.nextInt(4)) {
                case 0 -> vfs.unlink(Vfs.ROOT, name);
                case 1 -> vfs.rename(Vfs.ROOT, name, Vfs.ROOT, Name.of("f" + random.nextInt(700)), RenameMode.REPLACE);
                case 2 -> vfs.create(Vfs.ROOT, Name.of("new" + number), 0600, Owner.ROOT).close();
                default -> {
                    try (var file = vfs.open(vfs.lookup(Vfs.ROOT, name).ino())) {
                        file.write(random.nextInt(9000), ByteBuffer.allocate(700));
                    }
                }
            }
        } catch (IOException gone) {
            // somebody was faster
        }
    }

    /** Bits, bytes, lines and numbers are changed, lines are swapped, repeated and left out, the end is cut off. */
    @Test
    void aChangedDumpIsRefused() throws IOException {
        var origin = Specimen.make(new MemoryMetaEngine(), directory, 31, 30);
        byte[] right = dump(origin.engine).text();
        var random = new Random(8);
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] wrong = mutate(right, random);
            if (!Arrays.equals(wrong, right)) {
                assertThatThrownBy(() -> load(wrong, new MemoryMetaEngine())).isInstanceOf(DumpRefusedException.class)
                        .hasMessageStartingWith("line ");
            }
        }
    }

    private static byte[] mutate(byte[] right, Random random) {
        byte[] wrong = right.clone();
        int at = random.nextInt(wrong.length);
        switch (random.nextInt(5)) {
            case 0 -> wrong[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> wrong[at] = (byte) random.nextInt(256);
            case 2 -> {
                return Arrays.copyOf(wrong, at);
            }
            case 3 -> {
                var longer = Arrays.copyOf(wrong, wrong.length + 1 + random.nextInt(50));
                return longer;
            }
            default -> {
                var lines = new String(wrong, StandardCharsets.UTF_8).split("(?<=\n)");
                int first = random.nextInt(lines.length);
                int second = random.nextInt(lines.length);
                String line = lines[first];
                lines[first] = random.nextBoolean() ? lines[second] : "";
                lines[second] = random.nextBoolean() ? line : lines[second];
                return String.join("", lines).getBytes(StandardCharsets.UTF_8);
            }
        }
        return wrong;
    }

    /** Somebody who forges the sums too gets a volume that does not pass the check, or none; never a crash. */
    @Test
    void aForgedDumpIsRefusedOrFoundOut() throws IOException {
        var origin = Specimen.make(new MemoryMetaEngine(), directory, 32, 30);
        var text = new String(dump(origin.engine).text(), StandardCharsets.UTF_8);
        var random = new Random(9);
        int refused = 0;
        int found = 0;
        for (int i = 0; i < MUTATIONS / 10; i++) {
            byte[] forged = forge(text, random);
            var engine = new MemoryMetaEngine();
            try {
                load(forged, engine);
                found += check(engine, origin.store).isClean() ? 0 : 1;
            } catch (DumpRefusedException wrong) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(10);
        assertThat(found).isGreaterThan(10);
    }

    /** Another number in some row, and the right sums. */
    private static byte[] forge(String text, Random random) throws IOException {
        var lines = text.split("(?<=\n)");
        int at = 1 + random.nextInt(lines.length - 2);
        var numbers = java.util.regex.Pattern.compile("-?\\d+").matcher(lines[at]);
        int wanted = random.nextInt(5);
        String value = new String[] {"-1", "0", "1", "99999999999", "9223372036854775807"}[random.nextInt(5)];
        for (int n = 0; numbers.find(); n++) {
            if (n == wanted) {
                lines[at] = lines[at].substring(0, numbers.start()) + value + lines[at].substring(numbers.end());
                break;
            }
        }
        var digest = Dump.sha256();
        var forged = new StringBuilder(lines[0]);
        long rows = 0;
        for (int i = 1; i < lines.length - 1; i++) {
            if (lines[i].startsWith("{\"row\"")) {
                digest.update(lines[i].getBytes(StandardCharsets.UTF_8));
                forged.append(lines[i]);
                rows++;
            }
        }
        String header = HexFormat.of().formatHex(Dump.sha256().digest(lines[0].getBytes(StandardCharsets.UTF_8)));
        forged.append("{\"end\":%d,\"sha256\":\"%s\",\"header\":\"%s\"}\n"
                .formatted(rows, HexFormat.of().formatHex(digest.digest()), header));
        return forged.toString().getBytes(StandardCharsets.UTF_8);
    }
}
