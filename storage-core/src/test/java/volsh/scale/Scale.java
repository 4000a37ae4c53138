package volsh.scale;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import volsh.engine.MetaEngine;
import volsh.engine.MetaEngine.Transaction;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fs.FileCommit;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.NewFile;
import volsh.fs.Owner;
import volsh.inventory.Row;
import volsh.inventory.Superblock;
import volsh.meta.ExtendedAttributes;
import volsh.meta.MetadataAudit;
import volsh.meta.Namespace;
import volsh.meta.Reclaim;
import volsh.meta.Session;
import volsh.meta.Ticks;
import volsh.postgrestest.PostgresServer;
import volsh.vfs.ManualClock;
import volsh.vfs.TestVolume;

/**
 * The metadata of a volume that gets more of everything than one transaction, one page or one batch of the program
 * takes. Blocks have rows and no objects: thousands of them are made in a moment.
 */
final class Scale implements AutoCloseable {
    static final boolean LONG = Boolean.getBoolean("volsh.long");
    /** More than any number in the metadata layer by which it cuts its work into pieces. */
    static final int MANY = LONG ? 100_000 : 2_500;
    static final int BLOCK = 4096;
    private static final int COMMIT = 100;
    private static final int TOGETHER = 100;

    final ManualClock clock = new ManualClock();
    final MetaEngine engine;
    final Superblock superblock;
    Namespace names;
    private Session session;

    private Scale(MetaEngine engine) {
        this.engine = engine;
        this.superblock = new Superblock(engine, clock);
    }

    /** On an engine of this kind: sqlite, postgres or memory. */
    static Scale on(String kind, Path directory) throws IOException, InterruptedException {
        var volume = blank(kind, directory);
        volume.superblock.format(Owner.ROOT, 0755, "made", new byte[0]);
        volume.session = volume.superblock.sessions().open("test", 1, "test");
        volume.names = new Namespace(volume.engine, volume.clock, volume.session.id());
        return volume;
    }

    /** One without a row. */
    static Scale blank(String kind, Path directory) throws IOException, InterruptedException {
        if (kind.equals("memory")) {
            return new Scale(new MemoryMetaEngine());
        }
        if (kind.equals("sqlite")) {
            return new Scale(SqliteMetaEngine.create(Files.createDirectories(directory).resolve("meta.db")));
        }
        var url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        return new Scale(PostgresMetaEngine.create(url, TestVolume.ID));
    }

    long session() {
        return session.id();
    }

    /** What is done again and again, through an engine of its own. */
    interface Step {
        void run(int number) throws IOException;
    }

    /** Makes the step that works through an engine. */
    interface Steps {
        Step through(MetaEngine engine) throws IOException;
    }

    /**
     * Does something so many times, each as a transaction of its own would, but many to one transaction: what is to be
     * many is made quickly.
     */
    void times(int count, Steps steps) throws IOException {
        times(engine, count, TOGETHER, steps);
    }

    static void times(MetaEngine engine, int count, int together, Steps steps) throws IOException {
        for (int from = 0; from < count; from += together) {
            int first = from;
            engine.transact(tx -> {
                var step = steps.through(new Inside(tx));
                for (int i = first; i < Math.min(first + together, count); i++) {
                    step.run(i);
                }
                return null;
            });
        }
    }

    /** All transactions are parts of one. */
    private record Inside(Transaction tx) implements MetaEngine {
        @Override
        public <R> R transact(Work<R> work) throws IOException {
            return work.run(tx);
        }

        @Override
        public <R> R read(Work<R> work) throws IOException {
            return work.run(tx);
        }

        @Override
        public void sync() {}

        @Override
        public void close() {}
    }

    /** Writes these rows. */
    static void put(MetaEngine engine, List<Row> rows) throws IOException {
        times(engine, rows.size(), 500, inside -> i -> inside.transact(tx -> {
            tx.put(rows.get(i).entry().key(), rows.get(i).entry().value());
            return null;
        }));
    }

    /** Files with a few bytes, in their rows, by names that begin so. */
    void smallFiles(long directory, String prefix, int count) throws IOException {
        for (int from = 0; from < count; from += Namespace.CREATED_MAX) {
            var made = new ArrayList<NewFile>();
            for (int i = from; i < Math.min(from + Namespace.CREATED_MAX, count); i++) {
                made.add(new NewFile(directory, Name.of(prefix + i), 0644, Owner.ROOT, 0, 0,
                        Optional.of(new byte[] {1, 2, 3}), Optional.empty()));
            }
            names.createAll(made, Optional.empty());
        }
    }

    long file(long directory, String name) throws IOException {
        return names.makeNode(directory, Name.of(name), FileKind.REGULAR, 0644, Owner.ROOT, 0).ino();
    }

    /** A file of so many extents, each of a block of its own; holes between them, so that none are merged. */
    long file(String name, int extents) throws IOException {
        long ino = file(Namespace.ROOT, name);
        extend(ino, 0, extents);
        return ino;
    }

    void extend(long ino, int from, int extents) throws IOException {
        for (int at = from; at < from + extents; at += COMMIT) {
            var blocks = new ArrayList<BlockRow>();
            var laid = new ArrayList<Extent>();
            for (int i = at; i < Math.min(at + COMMIT, from + extents); i++) {
                long id = names.files().newBlock();
                blocks.add(new BlockRow(id, BLOCK, BLOCK, 0, ino, new byte[0]));
                laid.add(new Extent(2L * i * BLOCK, BLOCK, id, 0));
            }
            names.files().commit(ino, new FileCommit(blocks, laid, laid.getLast().end(), OptionalLong.empty(), -1))
                    .orElseThrow();
        }
    }

    long directory(long parent, String name, int owner) throws IOException {
        return names.makeDirectory(parent, Name.of(name), 0755, new Owner(owner, owner)).ino();
    }

    long ino(String name) throws IOException {
        return names.lookup(Namespace.ROOT, Name.of(name)).ino();
    }

    void attribute(long ino, String name) throws IOException {
        names.extendedAttributes().set(ino, name.getBytes(StandardCharsets.UTF_8), new byte[9],
                ExtendedAttributes.Mode.ALWAYS);
    }

    void unlink(String name) throws IOException {
        names.unlink(Namespace.ROOT, Name.of(name));
    }

    /** A second passes, and nobody reads what was before. */
    void pass() throws IOException {
        clock.advance(Duration.ofSeconds(2));
        session = superblock.sessions().renew(session, new Ticks(engine, clock).advance());
    }

    Reclaim reclaim() {
        return new Reclaim(engine, clock, session.id());
    }

    void freeOrphans() throws IOException {
        while (reclaim().freeOrphans()) {
            // one batch after the other
        }
    }

    /** How many dead blocks were forgotten. */
    int forgetDead(int batch) throws IOException {
        int forgotten = 0;
        for (var dead = reclaim().dead(batch); !dead.isEmpty(); dead = reclaim().dead(batch)) {
            reclaim().forget(dead);
            forgotten += dead.size();
        }
        return forgotten;
    }

    List<String> problems() throws IOException {
        return MetadataAudit.of(engine).problems();
    }

    @Override
    public void close() throws IOException {
        engine.close();   // rows in PostgreSQL go with the server
    }
}
