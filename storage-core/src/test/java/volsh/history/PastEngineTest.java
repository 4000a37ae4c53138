package volsh.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.fs.AttributeChange;
import volsh.fs.DirectoryEntry;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.inventory.Superblock;
import volsh.meta.EngineKind;
import volsh.meta.Namespace;
import volsh.meta.OnEveryEngine;
import volsh.meta.Ticks;
import volsh.vfs.ManualClock;

/** The name space as of a tick: what is looked up, and what is listed, however long the history is. */
@OnEveryEngine
final class PastEngineTest {
    private final ManualClock clock = new ManualClock();
    private final EngineKind kind;
    private final MetaEngine engine;
    private Namespace names;
    private Ticks ticks;

    PastEngineTest(EngineKind kind) throws IOException {
        this.kind = kind;
        engine = kind.open();
    }

    @BeforeEach
    void format() throws IOException {
        var superblock = new Superblock(engine, clock);
        superblock.format(Owner.ROOT, 0755, "made", new byte[0]);
        names = new Namespace(engine, clock, superblock.sessions().open("test", 1, "test").id());
        ticks = new Ticks(engine, clock);
        ticks.retain(-1);
        clock.advance(Duration.ofSeconds(1));
    }

    private Namespace at(long tick) {
        return new Namespace(new PastEngine(engine, tick), clock, 0);
    }

    /** Ends the running second; returns it. */
    private long end() throws IOException {
        long tick = ticks.advance();
        clock.advance(Duration.ofSeconds(1));
        return tick;
    }

    private static List<String> texts(List<DirectoryEntry> entries) {
        return entries.stream().map(entry -> entry.name().toString()).toList();
    }

    private void make(String name) throws IOException {
        names.makeDirectory(Namespace.ROOT, Name.of(name), 0755, Owner.ROOT);
    }

    private void remove(String name) throws IOException {
        names.removeDirectory(Namespace.ROOT, Name.of(name));
    }

    @Test
    void everyPageOfAListingIsOfThatTick() throws IOException {
        var then = new TreeMap<Long, List<String>>();
        var now = new ArrayList<String>();
        int count = Math.max(200, kind.steps(700));
        for (int round = 0; round < Math.max(2, kind.steps(4)); round++) {
            for (int i = 0; i < count; i++) {
                var name = "%05d".formatted(i * 7 + round * 3);
                if ((i + round) % 3 == 0 && now.contains(name)) {
                    remove(name);
                    now.remove(name);
                } else if (!now.contains(name)) {
                    make(name);
                    now.add(name);
                }
            }
            now.sort(null);
            then.put(end(), List.copyOf(now));
            for (var name : List.copyOf(now.subList(0, now.size() / 2))) {
                remove(name);
            }
            now.subList(0, now.size() / 2).clear();
            then.put(end(), List.copyOf(now));
        }
        for (var tick : then.keySet()) {
            assertThat(texts(at(tick).list(Namespace.ROOT, null, 10_000))).isEqualTo(then.get(tick));
            for (int limit : new int[] {1, 3, count / 7}) {
                var after = then.get(tick).get(50);
                assertThat(texts(at(tick).list(Namespace.ROOT, Name.of(after), limit)))
                        .isEqualTo(then.get(tick).subList(51, 51 + limit));
            }
        }
    }

    /** Names that came and went very often cost no more than a jump each. */
    @Test
    void versionsOfManySecondsAreJumpedOver() throws IOException {
        make("b");
        long first = end();
        int seconds = kind.steps(1500);
        for (int second = 0; second < seconds; second++) {
            make("a");
            end();
            remove("a");
            names.change(names.lookup(Namespace.ROOT, Name.of("b")).ino(),
                    AttributeChange.NONE.withMode(second & 0777));
            end();
        }
        make("c");
        long last = end();
        assertThat(texts(at(first).list(Namespace.ROOT, null, 10))).containsExactly("b");
        assertThat(texts(at(first + seconds + 1).list(Namespace.ROOT, null, 10))).containsExactly("a", "b");
        assertThat(texts(at(first + seconds + 2).list(Namespace.ROOT, null, 10))).containsExactly("b");
        assertThat(texts(at(last).list(Namespace.ROOT, null, 10))).containsExactly("b", "c");
        assertThat(at(first + seconds + 2).lookup(Namespace.ROOT, Name.of("b")).mode()).isEqualTo(seconds / 2 & 0777);
        assertThat(at(last).attributes(List.of(at(last).lookup(Namespace.ROOT, Name.of("b")).ino())).getFirst().mode())
                .isEqualTo(seconds - 1 & 0777);
    }

    @Test
    void aDirectoryThatDidNotChangeSinceHasItsTimesAndLinks() throws IOException {
        make("d");
        long directory = names.lookup(Namespace.ROOT, Name.of("d")).ino();
        clock.advance(Duration.ofMillis(250));
        names.makeDirectory(directory, Name.of("below"), 0755, Owner.ROOT);
        var then = names.attributes(directory);
        long tick = end();
        make("other");
        assertThat(at(tick).attributes(directory)).isEqualTo(then);
        assertThat(at(tick).attributes(Namespace.ROOT).links()).isEqualTo(3);
    }

    @Test
    void ofOneThatDidLinksAreCountedAndTheNewestNameTellsTheTime() throws IOException {
        make("d");
        long directory = names.lookup(Namespace.ROOT, Name.of("d")).ino();
        clock.advance(Duration.ofSeconds(5));
        names.makeDirectory(directory, Name.of("below"), 0755, Owner.ROOT);
        long tick = end();
        names.makeDirectory(directory, Name.of("later"), 0755, Owner.ROOT);
        assertThat(at(tick).attributes(directory).links()).isEqualTo(3);
        assertThat(at(tick).attributes(directory).mtime()).isEqualTo(tick * 1_000_000_000L);
        end();
        names.change(directory, AttributeChange.NONE.withMode(0700));
        assertThat(at(tick).attributes(directory).mode()).isEqualTo(0755);
        assertThat(at(tick).attributes(directory).links()).isEqualTo(3);
    }

    @Test
    void whatIsMadeInTheSecondOfAPinButBehindItIsNotSeen() throws IOException {
        make("before");
        long pin = ticks.pin();
        make("behind");
        assertThat(texts(at(pin).list(Namespace.ROOT, null, 10))).containsExactly("before");
        assertThat(at(pin).attributes(Namespace.ROOT).links()).isEqualTo(3);
    }

    @Test
    void nothingCanBeWritten() throws IOException {
        var past = new PastEngine(engine, end());
        assertThatThrownBy(() -> past.transact(tx -> null)).isInstanceOfSatisfying(
                FsException.class, refused -> assertThat(refused.error()).isEqualTo(FsError.READ_ONLY));
        assertThatThrownBy(() -> past.read(tx -> {
            tx.put(Keys.GUARD, new byte[0]);
            return null;
        })).isInstanceOf(FsException.class);
        assertThatThrownBy(() -> at(1).makeDirectory(Namespace.ROOT, Name.of("x"), 0755, Owner.ROOT))
                .isInstanceOf(FsException.class);
    }
}
