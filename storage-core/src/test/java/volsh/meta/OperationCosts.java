package volsh.meta;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.Patch;
import volsh.fs.RenameMode;
import volsh.inventory.CheckedEngine;
import volsh.inventory.Superblock;

/**
 * Prints what single operations on names cost with embedded metadata, without a mount: processor time of the thread
 * that asks, which also commits, and bytes of garbage. The numbers are in decision 0071:
 * {@code java @storage-core/build/test.args volsh.meta.OperationCosts DIRECTORY COUNT ROUNDS}.
 */
final class OperationCosts {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Owner OWNER = new Owner(1000, 1000);

    private final Namespace names;
    private final Reclaim reclaim;
    private final int count;
    private final long[] inos;
    private long directory;

    private OperationCosts(Namespace names, Reclaim reclaim, int count) {
        this.names = names;
        this.reclaim = reclaim;
        this.count = count;
        this.inos = new long[count];
    }

    private interface Work {
        void run(int number) throws IOException;
    }

    public static void main(String[] arguments) throws IOException {
        int count = Integer.parseInt(arguments[1]);
        var clock = InstantSource.system();
        try (MetaEngine engine = new CheckedEngine(
                SqliteMetaEngine.create(Path.of(arguments[0], "meta.db")), "costs", damage -> {})) {
            new Superblock(engine, clock).format(Owner.ROOT, 0755, "made", new byte[0]);
            var sessions = new Sessions(engine, clock);
            var session = sessions.open("host", 1, "costs");
            var costs = new OperationCosts(new Namespace(engine, clock, session.id()),
                    new Reclaim(engine, clock, session.id()), count);
            for (int round = 1; round <= Integer.parseInt(arguments[2]); round++) {
                System.out.printf("%nround %d, %d operations each%n", round, count);
                costs.run(round, () -> sessions.renew(session, Long.MAX_VALUE));
            }
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void run(int round, Step renew) throws IOException {
        directory = names.makeDirectory(Namespace.ROOT, Name.of("d" + round), 0755, OWNER).ino();
        measure("create", i -> inos[i] = names.makeNode(directory, name(i), FileKind.REGULAR, 0644, OWNER, 0).ino());
        measure("lookup", i -> names.lookup(directory, name(i)));
        measure("attributes", i -> names.attributes(inos[i]));
        measure("attributes of the directory", i -> names.attributes(directory));
        measure("lookup of a missing name", this::miss);
        var all = LongStream.of(inos).boxed().toList();
        measure("attributes of 100", i -> {
            if (i % 100 == 0) {
                names.list(directory, i == 0 ? null : name(i), 100);
                names.attributes(all.subList(i, Math.min(count, i + 100)));
            }
        });
        measure("rename", i -> names.rename(directory, name(i), directory, Name.of("g" + i), RenameMode.REPLACE));
        measure("write of 100 bytes", i -> write(inos[i], 100));
        measure("unlink", i -> names.unlink(directory, Name.of("g" + i)));
        renew.run();
        measure("freeing", i -> {
            if (i == 0) {
                while (reclaim.freeOrphans()) {
                    // until nothing is left
                }
            }
        });
        for (int i = 0; i < count; i++) {
            inos[i] = names.makeNode(directory, name(i), FileKind.REGULAR, 0644, OWNER, 0).ino();
        }
        measure("unlink of empty files", i -> names.unlink(directory, name(i)));
        measure("freeing of empty files", i -> {
            if (i == 0) {
                while (reclaim.freeOrphans()) {
                    // until nothing is left
                }
            }
        });
    }

    private static Name name(int i) throws FsException {
        return Name.of("f%06d".formatted(i));
    }

    private void miss(int i) throws IOException {
        try {
            names.lookup(directory, Name.of("missing" + i));
        } catch (FsException expected) {
            // there is none
        }
    }

    private void write(long ino, int bytes) throws IOException {
        names.files().patchInline(ino, List.of(new Patch(0, new byte[bytes])), bytes, OptionalLong.of(1), 4096);
    }

    private void measure(String what, Work work) throws IOException {
        long cpu = THREADS.getCurrentThreadCpuTime();
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < count; i++) {
            work.run(i);
        }
        double micros = (THREADS.getCurrentThreadCpuTime() - cpu) / 1e3 / count;
        long garbage = (THREADS.getCurrentThreadAllocatedBytes() - bytes) / count;
        System.out.printf(Locale.ROOT, "%-30s %8.1f us %8d bytes%n", what, micros, garbage);
    }
}
