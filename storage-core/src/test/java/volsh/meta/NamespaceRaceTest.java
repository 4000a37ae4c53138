package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaEngine;
import volsh.engine.Race;
import volsh.fs.AttributeChange;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.inventory.Superblock;

/** Changes of names that meet: each pair ends as if one had come after the other, and no row is out of step. */
@OnEveryEngine
@Tag("model")
final class NamespaceRaceTest {
    private static final Name A = name("a");
    private static final Name B = name("b");
    private static final Name X = name("x");

    private final Intrusion intrusion = new Intrusion();
    private final EngineKind kind;
    private final MetaEngine engine;
    private Session session;
    private Namespace names;
    private boolean threaded;

    NamespaceRaceTest(EngineKind kind) throws IOException {
        this.kind = kind;
        engine = kind.open(intrusion);
    }

    @BeforeEach
    void format() throws IOException {
        var superblock = new Superblock(engine, InstantSource.system());
        superblock.format(Owner.ROOT, 0755, "made", new byte[0]);
        session = superblock.sessions().open("test", 1, "test");
        names = new Namespace(engine, InstantSource.system(), session.id());
        file(Namespace.ROOT, name("warm"));   // so that no later call needs a transaction more, to take inode numbers
    }

    @AfterEach
    void rowsAgree() throws IOException {
        assertThat(MetadataAudit.of(engine).problems()).isEmpty();
    }

    private static Name name(String text) {
        try {
            return Name.of(text);
        } catch (FsException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static void refused(FsError error, ThrowingCallable call) {
        var thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(FsException.class);
        assertThat(((FsException) thrown).error()).isEqualTo(error);
    }

    private long directory(long parent, Name name) throws IOException {
        return names.makeDirectory(parent, name, 0755, Owner.ROOT).ino();
    }

    private long file(long parent, Name name) throws IOException {
        return names.makeNode(parent, name, FileKind.REGULAR, 0644, Owner.ROOT, 0).ino();
    }

    private void rename(long from, Name name, long to, Name newName) throws IOException {
        names.rename(from, name, to, newName, RenameMode.REPLACE);
    }

    @AfterEach
    void somethingCameInBetween() {
        assertThat(intrusion.done() > 0 || threaded).isTrue();
    }

    @Test
    void createInADirectoryThatIsRemovedMeanwhile() throws IOException {
        long d = directory(Namespace.ROOT, A);
        intrusion.before(() -> names.removeDirectory(Namespace.ROOT, A));
        refused(FsError.NO_ENTRY, () -> file(d, X));
    }

    @Test
    void removeADirectoryThatIsFilledMeanwhile() throws IOException {
        long d = directory(Namespace.ROOT, A);
        intrusion.before(() -> file(d, X));
        refused(FsError.NOT_EMPTY, () -> names.removeDirectory(Namespace.ROOT, A));
        assertThat(names.lookup(d, X)).isNotNull();
    }

    @Test
    void twoMovesThatTogetherWouldMakeACircle() throws IOException {
        long a = directory(Namespace.ROOT, A);
        long b = directory(Namespace.ROOT, B);
        intrusion.before(() -> rename(Namespace.ROOT, B, a, B));
        refused(FsError.INVALID, () -> rename(Namespace.ROOT, A, b, A));
        assertThat(names.parent(b)).isEqualTo(a);
    }

    @Test
    void aCircleThroughDeeperDirectories() throws IOException {
        long a = directory(Namespace.ROOT, A);
        long b = directory(Namespace.ROOT, B);
        long belowA = directory(directory(a, X), X);
        long belowB = directory(directory(b, X), X);
        intrusion.before(() -> rename(Namespace.ROOT, B, belowA, B));
        refused(FsError.INVALID, () -> rename(Namespace.ROOT, A, belowB, A));
    }

    @Test
    void replaceADirectoryThatIsFilledMeanwhile() throws IOException {
        directory(Namespace.ROOT, A);
        long b = directory(Namespace.ROOT, B);
        intrusion.before(() -> file(b, X));
        refused(FsError.NOT_EMPTY, () -> rename(Namespace.ROOT, A, Namespace.ROOT, B));
    }

    @Test
    void createInADirectoryThatIsReplacedMeanwhile() throws IOException {
        long a = directory(Namespace.ROOT, A);
        long b = directory(Namespace.ROOT, B);
        intrusion.before(() -> rename(Namespace.ROOT, A, Namespace.ROOT, B));
        refused(FsError.NO_ENTRY, () -> file(b, X));
        assertThat(names.lookup(Namespace.ROOT, B).ino()).isEqualTo(a);
    }

    @Test
    void moveIntoADirectoryThatIsRemovedMeanwhile() throws IOException {
        long d = directory(Namespace.ROOT, A);
        file(Namespace.ROOT, X);
        intrusion.before(() -> names.removeDirectory(Namespace.ROOT, A));
        refused(FsError.NO_ENTRY, () -> rename(Namespace.ROOT, X, d, X));
        assertThat(names.lookup(Namespace.ROOT, X)).isNotNull();
    }

    @Test
    void unlinkAFileThatIsLinkedMeanwhile() throws IOException {
        long f = file(Namespace.ROOT, A);
        intrusion.before(() -> names.link(f, Namespace.ROOT, B));
        names.unlink(Namespace.ROOT, A);
        assertThat(names.lookup(Namespace.ROOT, B).links()).isEqualTo(1);
    }

    @Test
    void linkAFileThatIsUnlinkedMeanwhile() throws IOException {
        long f = file(Namespace.ROOT, A);
        intrusion.before(() -> names.unlink(Namespace.ROOT, A));
        names.link(f, Namespace.ROOT, B);
        assertThat(names.lookup(Namespace.ROOT, B).links()).isEqualTo(1);
        assertThat(MetadataAudit.of(engine).orphans()).isZero();
    }

    @Test
    void unlinkWhatIsUnlinkedMeanwhile() throws IOException {
        file(Namespace.ROOT, A);
        intrusion.before(() -> names.unlink(Namespace.ROOT, A));
        refused(FsError.NO_ENTRY, () -> names.unlink(Namespace.ROOT, A));
    }

    @Test
    void createWhatIsCreatedMeanwhile() throws IOException {
        intrusion.before(() -> file(Namespace.ROOT, A));
        refused(FsError.EXISTS, () -> directory(Namespace.ROOT, A));
    }

    @Test
    void aRefusalHoldsOnlyIfItsReasonDoes() throws IOException {
        file(Namespace.ROOT, A);
        intrusion.before(() -> names.unlink(Namespace.ROOT, A));
        if (kind == EngineKind.POSTGRES) {   // all was read in one question: so it was at that moment
            refused(FsError.EXISTS, () -> directory(Namespace.ROOT, A));
        }
        assertThat(directory(Namespace.ROOT, A)).isPositive();
        directory(Namespace.ROOT, B);
        long x = file(names.lookup(Namespace.ROOT, B).ino(), X);
        intrusion.before(() -> names.unlink(names.lookup(Namespace.ROOT, B).ino(), X));
        names.removeDirectory(Namespace.ROOT, B);
        refused(FsError.NO_ENTRY, () -> names.lookup(Namespace.ROOT, B));
        assertThat(names.attributes(x).links()).isZero();
    }

    @Test
    void timesSetWhileEntriesCome() throws IOException {
        long d = directory(Namespace.ROOT, A);
        intrusion.before(() -> file(d, X));
        names.change(d, AttributeChange.NONE.withMtime(5));
        assertThat(names.attributes(d).mtime()).isEqualTo(5);
    }

    @Test
    void twoEditorsOfOneInode() throws IOException {
        long f = file(Namespace.ROOT, A);
        intrusion.before(() -> names.change(f, AttributeChange.NONE.withMode(0600)));
        names.change(f, AttributeChange.NONE.withUid(7));
        assertThat(names.attributes(f).mode()).isEqualTo(0600);
        assertThat(names.attributes(f).uid()).isEqualTo(7);
    }

    @Test
    void aFencedSessionChangesNothing() throws IOException {
        intrusion.before(() -> new Superblock(engine, InstantSource.system()).sessions().end(session.id()));
        refused(FsError.STALE, () -> file(Namespace.ROOT, A));
        refused(FsError.STALE, () -> names.unlink(Namespace.ROOT, name("warm")));
        refused(FsError.STALE, () -> names.rename(Namespace.ROOT, name("warm"), Namespace.ROOT, A, RenameMode.REPLACE));
        refused(FsError.STALE, () -> names.files().truncate(names.lookup(Namespace.ROOT, name("warm")).ino(), 5));
        refused(FsError.STALE, () -> names.files().newBlock());
        assertThat(names.list(Namespace.ROOT, null, 10)).extracting(entry -> entry.name().toString())
                .containsExactly("warm");
    }

    @Test
    void withoutASessionNothingIsWritten() throws IOException {
        var reader = new Namespace(engine, InstantSource.system(), 0);
        intrusion.before(() -> { });
        refused(FsError.READ_ONLY, () -> reader.unlink(Namespace.ROOT, name("warm")));
        refused(FsError.READ_ONLY, () -> reader.makeDirectory(Namespace.ROOT, A, 0755, Owner.ROOT));
        assertThat(reader.lookup(Namespace.ROOT, name("warm"))).isNotNull();
        file(Namespace.ROOT, B);
    }

    /**
     * Threads at random on a handful of names: whatever each is told, the rows agree, and refusals are ordinary ones.
     */
    @Nested
    final class Threads {
        private static final FsError[] ORDINARY = {
            FsError.NO_ENTRY, FsError.EXISTS, FsError.NOT_EMPTY, FsError.INVALID, FsError.NOT_DIRECTORY,
            FsError.IS_DIRECTORY, FsError.NOT_PERMITTED
        };

        @Test
        void atRandom() throws Exception {
            threaded = true;
            var told = new EnumMap<FsError, AtomicLong>(FsError.class);
            for (var error : FsError.values()) {
                told.put(error, new AtomicLong());
            }
            var randoms = Stream.of(1, 2, 3, 4).map(Random::new).toList();
            Race.of(4, kind.steps(1_000), (thread, round) -> step(randoms.get(thread), told));
            assertThat(told.entrySet()).filteredOn(entry -> entry.getValue().get() > 0).extracting(Map.Entry::getKey)
                    .isSubsetOf(ORDINARY);
            assertThat(told.get(FsError.NOT_EMPTY).get() + told.get(FsError.EXISTS).get()).isPositive();
        }

        private void step(Random random, Map<FsError, AtomicLong> told) throws IOException {
            try {
                long parent = place(random);
                long other = place(random);
                var name = random(random);
                switch (random.nextInt(7)) {
                    case 0, 1 -> directory(parent, name);
                    case 2 -> file(parent, name);
                    case 3 -> names.removeDirectory(parent, name);
                    case 4 -> names.unlink(parent, name);
                    case 5 -> names.link(names.lookup(parent, name).ino(), other, random(random));
                    default -> names.rename(parent, name, other, random(random),
                            RenameMode.values()[random.nextInt(3)]);
                }
            } catch (FsException refused) {
                told.get(refused.error()).incrementAndGet();
            }
        }

        private Name random(Random random) {
            return name(String.valueOf((char) ('a' + random.nextInt(3))));
        }

        private long place(Random random) throws IOException {
            long at = Namespace.ROOT;
            for (int depth = random.nextInt(4); depth > 0; depth--) {
                at = names.lookup(at, random(random)).ino();
            }
            return at;
        }
    }
}
