package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.vfs.Simulation.Sabotage;
import volsh.vfs.Simulation.Way;

/** Power loss and faults by the hundred: see {@link Simulation} for what must hold. */
@Tag("model")
final class SimulationTest {
    private static final int LIVES = 5;
    private static final int CALLS = 100;

    private static final Logger QUIET = Logger.getLogger("volsh.journal");

    @BeforeAll
    static void quiet() {
        QUIET.setLevel(Level.OFF);   // a disk that fails is told to the log, thousands of times here
    }

    @AfterAll
    static void loud() {
        QUIET.setLevel(null);
    }

    @ParameterizedTest
    @EnumSource
    void nothingAcknowledgedIsLost(Way way) throws IOException {
        int crashes = 0;
        int acknowledged = 0;
        int faults = 0;
        int refusedFull = 0;
        int lost = 0;
        int adopted = 0;
        int stored = 0;
        long tails = 0;
        long merges = 0;
        long packs = 0;
        long compacted = 0;
        long packedFiles = 0;
        long gathered = 0;
        var seeds = new SeedList("/volsh/vfs/simulation-seeds.txt", way == Way.STORED ? 60 : 40, 10_000).seeds();
        for (long seed : seeds) {
            var simulation = new Simulation(seed, way, Sabotage.NONE);
            simulation.run(LIVES, CALLS);
            crashes += simulation.crashes;
            acknowledged += simulation.acknowledged;
            faults += simulation.faults;
            refusedFull += simulation.refusedFull;
            lost += simulation.lost;
            adopted += simulation.adopted;
            stored += simulation.stored;
            tails += simulation.tails;
            merges += simulation.merges;
            packs += simulation.packs;
            compacted += simulation.compacted;
            packedFiles += simulation.packedFiles;
            gathered += simulation.gathered;
        }
        System.out.printf("simulation %s: %d seeds (last %d), %d crashes, %d acknowledged syncs, %d faults, "
                + "%d for want of space, %d calls undone; " + "%d times stored from journals, %d blocks taken "
                + "over from a life before, %d packs, %d of them compacted; %d tails rewritten, %d merges, "
                + "%d files packed, %d gathered%n", way,
                seeds.size(), seeds.getLast(), crashes, acknowledged, faults, refusedFull, lost, stored, adopted, packs,
                compacted, tails, merges, packedFiles, gathered);
        assertThat(stored > 0 && adopted > 0).isEqualTo(way != Way.STORED);
        assertThat(packs > 0).isEqualTo(way == Way.PACKED);
        assertThat(compacted > 0).isEqualTo(way == Way.PACKED);
        assertThat(tails).isPositive();
        assertThat(merges).isPositive();
        assertThat(packedFiles).isPositive();
        assertThat(gathered).isPositive();
        assertThat(crashes).isPositive();
        assertThat(acknowledged).isPositive();
        assertThat(faults).isPositive();
        assertThat(refusedFull).isPositive();
        assertThat(lost).as("crashes that undid anything").isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void aDiskThatIgnoresSyncIsFound(Way way) {
        assertThat(found(way, Sabotage.DISK_IGNORES_SYNC)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void anEngineThatIgnoresSyncIsFound(Way way) {
        assertThat(found(way, Sabotage.ENGINE_IGNORES_SYNC)).isTrue();
    }

    private static boolean found(Way way, Sabotage sabotage) {
        for (long seed = 1; seed <= 20; seed++) {
            try {
                new Simulation(seed, way, sabotage).run(LIVES, CALLS);
            } catch (AssertionError noticed) {
                return true;
            } catch (IOException unrelated) {
                throw new AssertionError(unrelated);
            }
        }
        return false;
    }
}
