package volsh.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.AttributeChange;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.history.Trees;
import volsh.meta.Changes;
import volsh.meta.Quotas;
import volsh.meta.Ticks;
import volsh.postgrestest.PostgresServer;
import volsh.upkeep.check.Check;
import volsh.upkeep.check.CheckOptions;
import volsh.vfs.ManualClock;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Quotas of users and groups: what is counted is what a walk over all files finds, at any moment. */
final class OwnerQuotaTest {
    private static final Quotas.Watcher NOBODY = counted -> {};
    private static final int OWNERS = 4;

    @TempDir
    private Path directory;
    private final MemoryBlockStore store = new MemoryBlockStore();
    private final ManualClock clock = new ManualClock();
    private MetaEngine engine = new MemoryMetaEngine();
    private TestVolume volume;
    private Quotas quotas;
    private Vfs vfs;

    private void open() throws IOException {
        volume = TestVolume.open(engine, store, new ChunkSettings(4096, 100, 1 << 20), Runnable::run, clock);
        vfs = volume.vfs();
        quotas = new Quotas(engine, clock, volume.session().id());
    }

    private void later() {
        clock.advance(Duration.ofSeconds(2));
    }

    private static Owner owner(int number) {
        return new Owner(1000 + number, 2000 + number);
    }

    private long write(long parent, String name, int size, Owner owner) throws IOException {
        try (var file = vfs.create(parent, Name.of(name), 0644, owner)) {
            file.write(0, ByteBuffer.allocate(size));
            file.flush();
            return file.ino();
        }
    }

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(FsException.class,
                refused -> assertThat(refused.error()).isEqualTo(FsError.QUOTA));
    }

    private Charge used(Account account) throws IOException {
        return engine.read(tx -> Allowances.usage(tx, account));
    }

    /** What owners have, by looking at every file. */
    private Map<Account, Charge> walk() throws IOException {
        var found = new HashMap<Account, Charge>();
        count(found, Vfs.ROOT, new HashSet<>());
        return found;
    }

    private void count(Map<Account, Charge> found, long ino, Set<Long> seen) throws IOException {
        if (!seen.add(ino)) {
            return;
        }
        var attributes = vfs.attributes(ino);
        boolean isDirectory = attributes.kind() == FileKind.DIRECTORY;
        var charge = new Charge(isDirectory ? 0 : attributes.size(), 1);
        found.merge(Account.user(attributes.uid()), charge, Charge::plus);
        found.merge(Account.group(attributes.gid()), charge, Charge::plus);
        if (isDirectory) {
            for (var entry : volume.names().list(ino, null, 10_000)) {
                count(found, entry.ino(), seen);
            }
        }
    }

    private Map<Account, Charge> counted() throws IOException {
        var found = new HashMap<Account, Charge>();
        for (var row : engine.read(tx -> tx.scan(QuotaKeys.USAGE, QuotaKeys.USAGE.afterPrefix(), 500))) {
            var account = QuotaKeys.account(row.key());
            if (account.isOwner()) {
                found.merge(account, Charge.parse(row.value()), Charge::plus);
            }
        }
        found.values().removeIf(Charge::isNothing);
        return found;
    }

    private List<String> problems() throws IOException {
        var check = new Check(engine, store, new UUID(1, 2), directory, OptionalLong.empty());
        return check.run(CheckOptions.QUICK, volsh.upkeep.Watcher.NONE).problems().stream()
                .filter(problem -> !problem.damage().isHarmless())
                .map(problem -> problem.damage() + " " + problem.finding().subject()).toList();
    }

    @Test
    void aUserAndAGroupAreLimited() throws Exception {
        limited();
    }

    @Test
    void alsoOnPostgres() throws Exception {
        var url = PostgresUrl.of(PostgresServer.shared().url()).withVolume(PostgresServer.freshName());
        try (var postgres = PostgresMetaEngine.create(url, TestVolume.ID)) {
            engine = postgres;
            limited();
        } finally {
            PostgresMetaEngine.drop(url, TestVolume.ID);
        }
    }

    private void limited() throws IOException {
        open();
        write(Vfs.ROOT, "old", 1000, owner(1));
        quotas.set(Account.user(1001), 10_000, 3, NOBODY);
        quotas.set(Account.group(2002), 5000, QuotaRule.NONE, NOBODY);
        later();
        assertThat(used(Account.user(1001))).isEqualTo(new Charge(1000, 1));
        write(Vfs.ROOT, "fits", 9000, owner(1));
        refused(() -> write(Vfs.ROOT, "more", 1, owner(1)));
        write(Vfs.ROOT, "of another", 5000, owner(2));
        refused(() -> write(Vfs.ROOT, "of another, too", 1, owner(2)));
        vfs.unlink(Vfs.ROOT, Name.of("of another, too"));
        refused(() -> write(Vfs.ROOT, "a fourth", 0, owner(1)));
        vfs.unlink(Vfs.ROOT, Name.of("more"));
        write(Vfs.ROOT, "unlimited", 100_000, owner(3));
        // what is given to somebody must have room there, and gives room here
        long unlimited = vfs.lookup(Vfs.ROOT, Name.of("unlimited")).ino();
        refused(() -> vfs.change(unlimited, AttributeChange.NONE.withUid(1001)));
        refused(() -> vfs.change(unlimited, AttributeChange.NONE.withGid(2002)));
        assertThat(vfs.attributes(unlimited).uid()).isEqualTo(1003);
        vfs.change(vfs.lookup(Vfs.ROOT, Name.of("fits")).ino(), AttributeChange.NONE.withUid(1003));
        assertThat(used(Account.user(1001))).isEqualTo(new Charge(1000, 1));
        write(Vfs.ROOT, "again", 9000, owner(1));
        assertThat(quotas.list()).extracting(status -> status.rule().account())
                .containsExactly(Account.group(2002), Account.user(1001));
        assertThat(quotas.removeOwner(Account.user(1001))).isTrue();
        assertThat(quotas.removeOwner(Account.user(1001))).isFalse();
        later();
        write(Vfs.ROOT, "any", 50_000, owner(1));
        assertThat(counted()).isEqualTo(walk());
        volume.close();
        assertThat(problems()).isEmpty();
    }

    /**
     * Several sessions at once, one of them killed: together never more than the quota, and what a dead one had
     * reserved is free again.
     */
    @Test
    void sessionsShareTheQuotaOfAUser() throws Exception {
        open();
        long limit = 200_000;
        quotas.set(Account.user(1001), limit, QuotaRule.NONE, NOBODY);
        later();
        var others = new ArrayList<TestVolume>();
        var threads = new ArrayList<Thread>();
        var refusals = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            int number = i;
            var other = TestVolume.open(engine, store, new ChunkSettings(4096, 100, 1 << 20), Runnable::run, clock);
            others.add(other);
            threads.add(Thread.ofPlatform().start(() -> fill(other.vfs(), number, refusals)));
        }
        for (var thread : threads) {
            thread.join();
        }
        assertThat(refusals).hasValue(3);
        assertThat(used(Account.user(1001)).bytes()).isBetween(limit / 2, limit);
        others.get(0).close();
        others.get(1).close();
        volume.superblock().sessions().end(others.get(2).session().id());   // killed
        write(Vfs.ROOT, "the rest", (int) (limit - used(Account.user(1001)).bytes()), owner(1));
        assertThat(used(Account.user(1001)).bytes()).isEqualTo(limit);
        refused(() -> write(Vfs.ROOT, "no more", 1, owner(1)));
        vfs.unlink(Vfs.ROOT, Name.of("no more"));
        assertThat(counted()).isEqualTo(walk());
    }

    private static void fill(Vfs vfs, int number, AtomicInteger refusals) {
        var random = new Random(number);
        try {
            for (int i = 0; ; i++) {
                try (var file = vfs.create(Vfs.ROOT, Name.of(number + "-" + i), 0644, owner(1))) {
                    file.write(0, ByteBuffer.allocate(1 + random.nextInt(6000)));
                    file.flush();
                }
            }
        } catch (FsException full) {
            assertThat(full.error()).isEqualTo(FsError.QUOTA);
            refusals.incrementAndGet();
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** More rules than a page: each holds. */
    @Test
    void manyUsersAreLimited() throws IOException {
        open();
        for (int i = 0; i < 450; i++) {
            quotas.set(Account.user(10_000 + i), 100, QuotaRule.NONE, NOBODY);
        }
        later();
        refused(() -> write(Vfs.ROOT, "a", 101, new Owner(10_000, 1)));
        refused(() -> write(Vfs.ROOT, "b", 101, new Owner(10_449, 1)));
        write(Vfs.ROOT, "c", 101, new Owner(10_450, 1));
        assertThat(quotas.list()).hasSize(450);
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "sqlite"})
    void countedIsWhatIsThere(String kind) throws Exception {
        long seed = Long.getLong("volsh.seed", new Random().nextLong());
        System.out.println("OwnerQuotaTest " + kind + " seed " + seed);
        int rounds = Boolean.getBoolean("volsh.long") ? 40 : 1;
        for (int round = 0; round < rounds; round++) {
            engine = kind.equals("sqlite") ? SqliteMetaEngine.create(directory.resolve("meta" + round + ".db"))
                    : new MemoryMetaEngine();
            try (var used = engine) {
                assertThat(used).isNotNull();
                open();
                randomCalls(new Random(seed + round));
                assertThat(problems()).isEmpty();
            }
        }
    }

    private void randomCalls(Random random) throws IOException {
        var places = new ArrayList<>(List.of(Vfs.ROOT));
        int compared = 0;
        int refused = 0;
        int counting = 60 + random.nextInt(120);
        for (int i = 0; i < 600 || i < 10_000 && (compared <= 5 || refused <= 5); i++) {
            if (i >= counting && !isCounted()) {
                countSome(random);
            }
            try {
                step(random, places);
            } catch (FsException expected) {
                refused += expected.error() == FsError.QUOTA ? 1 : 0;
            }
            if (random.nextInt(200) == 0) {   // killed: its session is gone, and nothing was tidied up
                volume.superblock().sessions().end(volume.session().id());
                open();
            }
            if (random.nextInt(40) == 0) {
                later();
            }
            if (isCounted() && random.nextInt(12) == 0) {
                assertThat(counted()).as("call %d", i).isEqualTo(walk());
                compared++;
                limit(random);
            }
        }
        assertThat(compared).isGreaterThan(5);
        assertThat(refused).isGreaterThan(5);
        assertThat(counted()).isEqualTo(walk());
        volume.close();
    }

    private boolean isCounted() throws IOException {
        byte[] row = engine.read(tx -> tx.get(QuotaKeys.COUNTED));
        return row != null && ByteBuffer.wrap(row).getLong() == Long.MAX_VALUE;
    }

    /** Begins to count, and is stopped now and then; calls go on between. */
    private void countSome(Random random) throws IOException {
        new Changes(engine, clock, volume.session().id())
                .change(edit -> edit.isCountingOwners() && edit.countOwners(1 + random.nextInt(8)));
    }

    private void limit(Random random) throws IOException {
        var who = owner(random.nextInt(OWNERS));
        var account = random.nextBoolean() ? Account.user(who.uid()) : Account.group(who.gid());
        if (random.nextInt(3) == 0) {
            quotas.removeOwner(account);
        } else {
            quotas.set(account, 20_000 + random.nextInt(100_000), 20 + random.nextInt(60), NOBODY);
        }
    }

    private void step(Random random, List<Long> places) throws IOException {
        long place = places.get(random.nextInt(places.size()));
        long other = places.get(random.nextInt(places.size()));
        var name = Name.of("n" + random.nextInt(12));
        var who = owner(random.nextInt(OWNERS));
        switch (random.nextInt(14)) {
            case 0 -> vfs.unlink(place, name);
            case 1 -> vfs.rename(place, name, other, Name.of("n" + random.nextInt(12)), RenameMode.REPLACE);
            case 2 -> vfs.link(vfs.lookup(place, name).ino(), other, Name.of("n" + random.nextInt(12)));
            case 3 -> vfs.truncate(vfs.lookup(place, name).ino(), random.nextInt(20_000));
            case 4 -> vfs.makeSymlink(place, name, "somewhere".getBytes(), who);
            case 5 -> vfs.change(vfs.lookup(place, name).ino(), AttributeChange.NONE.withOwner(who));
            case 6 -> vfs.change(vfs.lookup(place, name).ino(), random.nextBoolean()
                    ? AttributeChange.NONE.withUid(who.uid()) : AttributeChange.NONE.withGid(who.gid()));
            case 7 -> {
                if (places.size() < 6) {
                    places.add(vfs.makeDirectory(place, name, random.nextBoolean() ? 02755 : 0755, who).ino());
                }
            }
            case 8 -> unnamed(place, name, who, random.nextInt(6000));
            case 9 -> copy(place, name, other, random);
            case 10 -> vfs.rename(place, name, other, Name.of("n" + random.nextInt(12)), RenameMode.EXCHANGE);
            default -> write(place, name.toString(), random.nextInt(9000), who);
        }
    }

    private void unnamed(long place, Name name, Owner who, int size) throws IOException {
        try (var file = vfs.createUnnamed(place, 0644, who)) {
            file.write(0, ByteBuffer.allocate(size));
            vfs.place(file, place, name);
        }
    }

    private void copy(long place, Name name, long to, Random random) throws IOException {
        var found = vfs.lookup(place, name);
        if (found.kind() == FileKind.DIRECTORY) {
            return;   // a copy of a tree in itself grows fast
        }
        var trees = new Trees(engine, clock, volume.names());
        long copy = trees.copy(new Ticks(engine, clock).advance(), found.ino(), to, Trees.Watcher.NONE);
        trees.place(copy, to, Name.of("c" + random.nextInt(12)), true);
    }

    /** A walk that leaves one file out sees it: what compares can fail. */
    @Test
    void aWrongCountIsSeen() throws IOException {
        open();
        quotas.set(Account.user(1001), 10_000, 30, NOBODY);
        write(Vfs.ROOT, "f", 100, owner(1));
        assertThat(counted()).isEqualTo(walk());
        engine.transact(tx -> {
            tx.add(QuotaKeys.usage(Account.user(1001), 3), new Charge(1, 0).delta());
            return null;
        });
        assertThat(counted()).isNotEqualTo(walk());
        volume.close();
        assertThat(problems()).singleElement().asString().contains("quota-count-wrong").contains("user 1001 bytes");
    }
}
