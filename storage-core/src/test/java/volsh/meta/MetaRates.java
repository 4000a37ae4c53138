package volsh.meta;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import volsh.engine.MetaEngine;
import volsh.engine.Race;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.NewFile;
import volsh.fs.Owner;
import volsh.history.Snapshots;
import volsh.history.Trees;
import volsh.inventory.Superblock;
import volsh.postgrestest.PostgresServer;

/**
 * Prints how fast engines do what the name space asks, without a mount: run by scripts/bench/meta.sh, the numbers are
 * in docs/PERFORMANCE.md. Each client is a session with an engine of its own (one for all in memory), and a thread.
 */
final class MetaRates {
    private static final int LOOKUPS = 20_000;
    private static final int REMOVED = 20_000;

    private MetaRates() {}

    /**
     * {@code DIRECTORY FILES ENTRIES TREE}: files made by each client, entries of the large directory, files that are
     * cloned. {@code DIRECTORY removal ENGINE ENTRIES}: a directory with so many goes.
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments[1].equals("removal")) {
            removal(Kind.valueOf(arguments[2].toUpperCase(Locale.ROOT)), Path.of(arguments[0]),
                    Integer.parseInt(arguments[3]));
            System.exit(0);
        }
        var directory = Path.of(arguments[0]);
        System.out.println(
                "| metadata | clients | create/s | stat/s | unlink/s | entries listed/s | commits | run in vain |");
        System.out.println("|---|---|---|---|---|---|---|---|");
        for (var kind : Kind.values()) {
            for (int clients : new int[] {1, 2, 4, 8}) {
                rates(kind, directory, clients, Integer.parseInt(arguments[1]));
            }
        }
        System.out.println(("\n| metadata | entries of one directory | made, 64 at once, s | listed s | %,d looked up "
                + "s | %,d removed one by one s |")
                .formatted(LOOKUPS, REMOVED));
        System.out.println("|---|---|---|---|---|---|");
        for (var kind : Kind.values()) {
            large(kind, directory, Integer.parseInt(arguments[2]));
        }
        System.out.println("\n| metadata | files | snapshot ms | clone s | clone placed ms |");
        System.out.println("|---|---|---|---|---|");
        for (var kind : Kind.values()) {
            clone(kind, directory, Integer.parseInt(arguments[3]));
        }
        System.exit(0);
    }

    private enum Kind {
        MEMORY("memory"),
        SQLITE("sqlite"),
        POSTGRES("postgres");

        private final String label;

        Kind(String label) {
            this.label = label;
        }
    }

    /** The metadata of one volume, opened by any number of clients. */
    private static final class Database implements AutoCloseable {
        private static final UUID VOLUME = UUID.randomUUID();
        private final List<MetaEngine> engines = new ArrayList<>();
        private final Kind kind;
        private final Path file;
        private PostgresUrl url;

        Database(Kind kind, Path directory) throws Exception {
            this.kind = kind;
            this.file = Files.createTempDirectory(directory, "rates").resolve("meta.db");
            if (kind == Kind.POSTGRES) {
                url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
            }
            engines.add(switch (kind) {
                case MEMORY -> new MemoryMetaEngine();
                case SQLITE -> SqliteMetaEngine.create(file);
                case POSTGRES -> PostgresMetaEngine.create(url, VOLUME);
            });
            new Superblock(engines.getFirst(), InstantSource.system()).format(Owner.ROOT, 0755, "made", new byte[0]);
        }

        Namespace client(int number) throws IOException {
            if (number > 0 && kind != Kind.MEMORY) {
                engines.add(kind == Kind.SQLITE ? SqliteMetaEngine.open(file) : PostgresMetaEngine.open(url, VOLUME));
            }
            var engine = engines.getLast();
            long session = new Superblock(engine, InstantSource.system()).sessions().open("rates", number, "test").id();
            return new Namespace(engine, InstantSource.system(), session);
        }

        MetaEngine engine() {
            return engines.getFirst();
        }

        MetaEngine.Counts counts() {
            var all = engines.stream().map(MetaEngine::counts).toList();
            return new MetaEngine.Counts(
                    all.stream().mapToLong(MetaEngine.Counts::commits).sum(),
                    all.stream().mapToLong(MetaEngine.Counts::reruns).sum());
        }

        @Override
        public void close() throws IOException {
            for (var engine : engines) {
                engine.close();
            }
            if (kind == Kind.POSTGRES) {
                PostgresMetaEngine.drop(url, VOLUME);
            }
        }
    }

    private interface Work {
        void run(int client) throws Exception;
    }

    /** Seconds until all clients have done this. */
    private static double seconds(int clients, Work work) throws Exception {
        long began = System.nanoTime();
        Race.of(clients, 1, (client, once) -> work.run(client));
        return (System.nanoTime() - began) / 1e9;
    }

    private static Name name(int client, int file) throws IOException {
        return Name.of("f%d-%d".formatted(client, file));
    }

    private static void rates(Kind kind, Path directory, int clients, int files) throws Exception {
        try (var database = new Database(kind, directory)) {
            var names = new ArrayList<Namespace>();
            for (int client = 0; client < clients; client++) {
                names.add(database.client(client));
            }
            long top = names.getFirst().makeDirectory(Namespace.ROOT, Name.of("d"), 0755, Owner.ROOT).ino();
            for (var warm : names) {
                warm.makeNode(Namespace.ROOT, Name.of("w" + names.indexOf(warm)), FileKind.REGULAR, 0644, Owner.ROOT,
                        0);
            }
            var before = database.counts();
            double made = seconds(clients, client -> {
                for (int i = 0; i < files; i++) {
                    names.get(client).makeNode(top, name(client, i), FileKind.REGULAR, 0644, Owner.ROOT, 0);
                }
            });
            double found = seconds(clients, client -> {
                for (int i = 0; i < files; i++) {
                    names.get(client).lookup(top, name(client, i));
                }
            });
            double listed = seconds(clients, client -> list(names.get(client), top));
            double removed = seconds(clients, client -> {
                for (int i = 0; i < files; i++) {
                    names.get(client).unlink(top, name(client, i));
                }
            });
            var counts = database.counts().minus(before);
            double all = (double) files * clients;
            System.out.println("| %s | %d | %.0f | %.0f | %.0f | %.0f | %s | %s |".formatted(kind.label,
                    clients, all / made, all / found, all / removed, all * clients / listed,
                    counts.commits() == 0 ? "" : counts.commits(), counts.commits() == 0 ? "" : counts.reruns()));
        }
    }

    private static long list(Namespace names, long directory) throws IOException {
        long count = 0;
        Name last = null;
        while (true) {
            List<DirectoryEntry> page = names.list(directory, last, 1000);
            count += page.size();
            if (page.size() < 1000) {
                return count;
            }
            last = page.getLast().name();
        }
    }

    private static void fill(Namespace names, long top, int entries) throws Exception {
        var next = new AtomicLong();
        int threads = 4;
        Race.of(threads, 1, (thread, once) -> {
            while (true) {
                long from = next.getAndAdd(Namespace.CREATED_MAX);
                if (from >= entries) {
                    return;
                }
                var batch = new ArrayList<NewFile>();
                for (long i = from; i < Math.min(entries, from + Namespace.CREATED_MAX); i++) {
                    batch.add(new NewFile(top, Name.of("e%07d".formatted(i)), 0644, Owner.ROOT, 0, 0, Optional.empty(),
                            Optional.empty()));
                }
                names.createAll(batch, Optional.empty());
            }
        });
    }

    private static void large(Kind kind, Path directory, int entries) throws Exception {
        try (var database = new Database(kind, directory)) {
            var names = database.client(0);
            long top = names.makeDirectory(Namespace.ROOT, Name.of("d"), 0755, Owner.ROOT).ino();
            double made = seconds(1, client -> fill(names, top, entries));
            double listed = seconds(1, client -> {
                if (list(names, top) != entries) {
                    throw new IllegalStateException("not all were listed");
                }
            });
            var random = new Random(1);
            double found = seconds(1, client -> {
                for (int i = 0; i < LOOKUPS; i++) {
                    names.lookup(top, Name.of("e%07d".formatted(random.nextInt(entries))));
                }
            });
            double removed = seconds(1, client -> {
                for (int i = 0; i < Math.min(entries, REMOVED); i++) {
                    names.unlink(top, Name.of("e%07d".formatted(i)));
                }
            });
            System.out.println("| %s | %,d | %.1f | %.1f | %.1f | %.1f |".formatted(kind.label, entries, made, listed,
                    found, removed));
        }
    }

    /**
     * A directory with so many entries goes: each in a transaction of its own, by four threads, then the directory
     * itself.
     */
    private static void removal(Kind kind, Path directory, int entries) throws Exception {
        try (var database = new Database(kind, directory)) {
            var names = database.client(0);
            long top = names.makeDirectory(Namespace.ROOT, Name.of("d"), 0755, Owner.ROOT).ino();
            double made = seconds(1, client -> fill(names, top, entries));
            var next = new AtomicLong();
            double removed = seconds(4, client -> {
                for (long i = next.getAndIncrement(); i < entries; i = next.getAndIncrement()) {
                    names.unlink(top, Name.of("e%07d".formatted(i)));
                }
            });
            names.removeDirectory(Namespace.ROOT, Name.of("d"));
            System.out.println("| %s | %,d | %.1f | %.1f |".formatted(kind.label, entries, made, removed));
        }
    }

    private static void clone(Kind kind, Path directory, int files) throws Exception {
        try (var database = new Database(kind, directory)) {
            var names = database.client(0);
            long top = names.makeDirectory(Namespace.ROOT, Name.of("d"), 0755, Owner.ROOT).ino();
            for (int i = 0; i < files; i += 1000) {
                fill(names, names.makeDirectory(top, Name.of("s" + i), 0755, Owner.ROOT).ino(),
                        Math.min(1000, files - i));
            }
            var snapshot = new Snapshot[1];
            double taken = seconds(1,
                    client -> snapshot[0] = new Snapshots(database.engine(), InstantSource.system()).create("s", ""));
            var trees = new Trees(database.engine(), InstantSource.system(), names);
            var copy = new AtomicLong();
            double copied = seconds(1,
                    client -> copy.set(trees.copy(snapshot[0].tick(), top, Namespace.ROOT, Trees.Watcher.NONE)));
            double placed = seconds(1, client -> trees.place(copy.get(), Namespace.ROOT, Name.of("c"), false));
            System.out.println("| %s | %,d | %.1f | %.1f | %.1f |".formatted(kind.label, files, taken * 1e3, copied,
                    placed * 1e3));
        }
    }
}
