package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import volsh.vfs.Simulation.Sabotage;

/** Power loss and faults by the hundred: see {@link Simulation} for what must hold. */
final class SimulationTest {
    private static final int LIVES = 5;
    private static final int CALLS = 100;

    @Test
    void nothingAcknowledgedIsLost() throws IOException {
        int crashes = 0;
        int acknowledged = 0;
        int faults = 0;
        int lost = 0;
        var seeds = new SeedList("/volsh/vfs/simulation-seeds.txt", 300, 10_000).seeds();
        for (long seed : seeds) {
            var simulation = new Simulation(seed, Sabotage.NONE);
            simulation.run(LIVES, CALLS);
            crashes += simulation.crashes;
            acknowledged += simulation.acknowledged;
            faults += simulation.faults;
            lost += simulation.lost;
        }
        System.out.printf("simulation: %d seeds (last %d), %d crashes, %d acknowledged syncs, %d faults, %d calls undone%n",
                seeds.size(), seeds.getLast(), crashes, acknowledged, faults, lost);
        assertThat(crashes).isPositive();
        assertThat(acknowledged).isPositive();
        assertThat(faults).isPositive();
        assertThat(lost).as("crashes that undid anything").isPositive();
    }

    @Test
    void aDiskThatIgnoresSyncIsFound() {
        assertThat(found(Sabotage.DISK_IGNORES_SYNC)).isTrue();
    }

    @Test
    void anEngineThatIgnoresSyncIsFound() {
        assertThat(found(Sabotage.ENGINE_IGNORES_SYNC)).isTrue();
    }

    private static boolean found(Sabotage sabotage) {
        for (long seed = 1; seed <= 20; seed++) {
            try {
                new Simulation(seed, sabotage).run(LIVES, CALLS);
            } catch (AssertionError noticed) {
                return true;
            } catch (IOException unrelated) {
                throw new AssertionError(unrelated);
            }
        }
        return false;
    }
}
