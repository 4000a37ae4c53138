package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.quota.Charge;
import volsh.quota.QuotaRule;
import volsh.upkeep.check.Check;
import volsh.upkeep.check.CheckOptions;
import volsh.vfs.ManualClock;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Quotas hold, whoever writes and whoever is killed, and count exactly what is there. */
@OnEveryEngine
final class QuotaTest {
    private static final Quotas.Watcher NOBODY = counted -> {};

    @TempDir
    private Path directory;
    private final EngineKind kind;
    private final MetaEngine engine;
    private final MemoryBlockStore store = new MemoryBlockStore();
    private final ManualClock clock = new ManualClock();
    private TestVolume volume;
    private Quotas quotas;
    private Vfs vfs;

    QuotaTest(EngineKind kind) throws IOException {
        this.kind = kind;
        engine = kind.open();
    }

    @BeforeEach
    void open() throws IOException {
        volume = another();
        vfs = volume.vfs();
        quotas = new Quotas(engine, clock, volume.session().id());
    }

    private TestVolume another() throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(4096, 100, 1 << 20), Runnable::run, clock);
    }

    @AfterEach
    void countsAreRight() throws IOException {
        volume.close();
        assertThat(MetadataAudit.of(engine).withNeeded(store).problems()).isEmpty();
        var check = new Check(engine, store, new UUID(1, 2), directory, OptionalLong.empty());
        assertThat(check.run(CheckOptions.QUICK, volsh.upkeep.Watcher.NONE).problems().stream()
                .filter(problem -> !problem.damage().isHarmless())).isEmpty();
    }

    /** Everybody has heard of the rules. */
    private void later() {
        clock.advance(Duration.ofSeconds(2));
    }

    private long make(long parent, String name) throws IOException {
        return vfs.makeDirectory(parent, Name.of(name), 0755, Owner.ROOT).ino();
    }

    private static void write(Vfs vfs, long parent, String name, int size) throws IOException {
        try (var file = vfs.create(parent, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.allocate(size));
            file.flush();
        }
    }

    private static void refused(FsError error, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(FsException.class,
                refused -> assertThat(refused.error()).isEqualTo(error));
    }

    private Charge used(long of) throws IOException {
        return quotas.of(of).orElseThrow().used();
    }

    @Test
    void aVolumeIsLimitedToTheByte() throws IOException {
        write(vfs, Vfs.ROOT, "old", 1000);
        quotas.set(10_000, QuotaRule.NONE);
        later();
        write(vfs, Vfs.ROOT, "fits", 9000);
        refused(FsError.QUOTA, () -> write(vfs, Vfs.ROOT, "more", 1));
        vfs.unlink(Vfs.ROOT, Name.of("more"));
        assertThat(vfs.attributes(vfs.lookup(Vfs.ROOT, Name.of("old")).ino()).size()).isEqualTo(1000);
        vfs.unlink(Vfs.ROOT, Name.of("old"));
        write(vfs, Vfs.ROOT, "more", 1000);
        refused(FsError.QUOTA, () -> write(vfs, Vfs.ROOT, "more still", 1));
        vfs.unlink(Vfs.ROOT, Name.of("more still"));
        quotas.remove();
        later();
        write(vfs, Vfs.ROOT, "any", 100_000);
    }

    @Test
    void inodesAreLimited() throws IOException {
        quotas.set(QuotaRule.NONE, 4);
        later();
        make(Vfs.ROOT, "a");
        long b = make(Vfs.ROOT, "b");
        write(vfs, b, "c", 10);
        refused(FsError.QUOTA, () -> make(Vfs.ROOT, "d"));
        vfs.link(vfs.lookup(b, Name.of("c")).ino(), Vfs.ROOT, Name.of("another name"));
        vfs.removeDirectory(Vfs.ROOT, Name.of("a"));
        make(Vfs.ROOT, "d");
    }

    /** A directory is counted with what is in it when it gets its quota; what comes and goes then counts. */
    @Test
    void aDirectoryIsLimitedWithAllBelow() throws IOException {
        long d = make(Vfs.ROOT, "d");
        long below = make(d, "below");
        for (int i = 0; i < 120; i++) {
            write(vfs, below, "f" + i, 10);
        }
        write(vfs, Vfs.ROOT, "outside", 5000);
        quotas.set(d, 2000, 200, NOBODY);
        later();
        assertThat(used(d)).isEqualTo(new Charge(1200, 122));
        assertThat(quotas.path(d)).isEqualTo("/d");
        write(vfs, make(below, "new"), "x", 800);
        refused(FsError.QUOTA, () -> write(vfs, d, "y", 1));
        vfs.unlink(d, Name.of("y"));
        write(vfs, Vfs.ROOT, "elsewhere", 100_000);
        refused(FsError.CROSS_DEVICE,
                () -> vfs.rename(below, Name.of("f1"), Vfs.ROOT, Name.of("f1"), RenameMode.REPLACE));
        refused(FsError.CROSS_DEVICE,
                () -> vfs.rename(Vfs.ROOT, Name.of("outside"), d, Name.of("f1"), RenameMode.REPLACE));
        refused(FsError.CROSS_DEVICE, () -> vfs.link(vfs.lookup(below, Name.of("f1")).ino(), Vfs.ROOT, Name.of("f1")));
        vfs.rename(below, Name.of("f1"), d, Name.of("f1"), RenameMode.REPLACE);
        vfs.unlink(d, Name.of("f1"));
        assertThat(used(d)).isEqualTo(new Charge(1990, 123));
        quotas.set(d, 5000, QuotaRule.NONE, NOBODY);
        later();
        write(vfs, d, "y", 3000);
        assertThat(quotas.remove(d, NOBODY)).isTrue();
        assertThat(quotas.list()).isEmpty();
        vfs.rename(below, Name.of("f2"), Vfs.ROOT, Name.of("f2"), RenameMode.REPLACE);
    }

    /** A directory with a quota in one with a quota counts for itself. */
    @Test
    void quotasAreNested() throws IOException {
        long outer = make(Vfs.ROOT, "outer");
        long inner = make(outer, "inner");
        write(vfs, inner, "f", 100);
        quotas.set(inner, 1000, QuotaRule.NONE, NOBODY);
        quotas.set(outer, 1000, QuotaRule.NONE, NOBODY);
        assertThat(used(outer)).isEqualTo(new Charge(0, 1));
        assertThat(used(inner)).isEqualTo(new Charge(100, 2));
        quotas.remove(inner, NOBODY);
        assertThat(used(outer)).isEqualTo(new Charge(100, 3));
    }

    /**
     * Several sessions, some of them killed: together they never have more than the quota, and nearly all of it can be
     * used.
     */
    @Test
    void sessionsShareAQuotaAndTheDeadGiveTheirsBack() throws Exception {
        long d = make(Vfs.ROOT, "d");
        long limit = 200_000;
        quotas.set(d, limit, QuotaRule.NONE, NOBODY);
        later();
        var refusals = new AtomicInteger();
        for (int round = 0; round < 3; round++) {
            var others = new TestVolume[] {another(), another(), another()};
            var threads = new Thread[others.length];
            for (int i = 0; i < others.length; i++) {
                int number = round * 10 + i;
                var other = others[i];
                threads[i] = Thread.ofPlatform().start(() -> fill(other.vfs(), d, number, refusals));
            }
            for (var thread : threads) {
                thread.join();
            }
            assertThat(used(d).bytes()).isBetween(limit / 2, limit);
            others[0].close();
            volume.superblock().sessions().end(others[1].session().id());   // as if it had been killed
            others[2].close();
            for (var entry : volume.names().list(d, null, 1000)) {
                if (entry.name().toString().hashCode() % 3 != 0) {
                    vfs.unlink(d, entry.name());
                }
            }
        }
        assertThat(refusals).hasPositiveValue();
        long rest = limit - used(d).bytes();
        write(vfs, d, "the rest", (int) rest);
        assertThat(used(d).bytes()).isEqualTo(limit);
    }

    private static void fill(Vfs vfs, long directory, int number, AtomicInteger refusals) {
        var random = new Random(number);
        for (int i = 0; i < 60; i++) {
            try {
                write(vfs, directory, number + "-" + i, 1 + random.nextInt(6000));
            } catch (FsException full) {
                assertThat(full.error()).isEqualTo(FsError.QUOTA);
                refusals.incrementAndGet();
                return;
            } catch (IOException impossible) {
                throw new AssertionError(impossible);
            }
        }
    }

    /** Random operations in and around two projects: what they count is what is there, checked after every test. */
    @Test
    void randomOperationsAreCounted() throws IOException {
        var random = new Random(77);
        long[] places = {Vfs.ROOT, make(Vfs.ROOT, "a"), make(Vfs.ROOT, "b")};
        quotas.set(places[1], 150_000, 60, NOBODY);
        quotas.set(places[2], 100_000, 30, NOBODY);
        later();
        int refused = 0;
        int steps = kind.steps(3000);
        for (int i = 0; i < steps; i++) {
            try {
                step(random, places);
            } catch (FsException expected) {
                refused += expected.error() == FsError.QUOTA ? 1 : 0;
            }
            if (i % 100 == 0) {
                assertThat(used(places[1]).bytes()).isBetween(0L, 150_000L);
                assertThat(used(places[2]).inodes()).isBetween(1L, 30L);
                later();
            }
        }
        assertThat(refused).isGreaterThan(steps / 200 - 1);
    }

    private void step(Random random, long[] places) throws IOException {
        long place = places[random.nextInt(places.length)];
        var name = Name.of("n" + random.nextInt(40));
        switch (random.nextInt(8)) {
            case 0 -> vfs.unlink(place, name);
            case 1 -> vfs.rename(place, name, places[random.nextInt(places.length)], Name.of("n" + random.nextInt(40)),
                    RenameMode.REPLACE);
            case 2 -> vfs.link(vfs.lookup(place, name).ino(), places[random.nextInt(places.length)],
                    Name.of("n" + random.nextInt(40)));
            case 3 -> vfs.truncate(vfs.lookup(place, name).ino(), random.nextInt(20_000));
            case 4 -> vfs.makeSymlink(place, name, "somewhere".getBytes(), Owner.ROOT);
            default -> write(vfs, place, name.toString(), random.nextInt(9000));
        }
    }
}
