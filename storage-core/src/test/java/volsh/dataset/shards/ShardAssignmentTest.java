package volsh.dataset.shards;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import volsh.dataset.shards.ShardAssignment.Evenness;

final class ShardAssignmentTest {
    private static List<Integer> shards(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void everyShardIsReadOnceAndNobodyReadsMuchMore() {
        for (int world = 1; world <= 5; world++) {
            for (int workers = 1; workers <= 4; workers++) {
                for (int count = 0; count <= 50; count++) {
                    check(new ShardAssignment(world, workers, Evenness.UNEVEN), count);
                }
            }
        }
    }

    private static void check(ShardAssignment assignment, int count) {
        var all = new ArrayList<Integer>();
        int least = Integer.MAX_VALUE;
        int most = 0;
        for (int rank = 0; rank < assignment.world(); rank++) {
            for (int worker = 0; worker < assignment.workers(); worker++) {
                var own = assignment.of(shards(count), rank, worker);
                least = Math.min(least, own.size());
                most = Math.max(most, own.size());
                all.addAll(own);
            }
        }
        assertThat(all).containsExactlyInAnyOrderElementsOf(shards(count));
        assertThat(most - least).isBetween(0, 1);
    }

    @Test
    void paddedOrCutAllReadTheSameNumber() {
        for (int count = 1; count <= 30; count++) {
            for (var evenness : List.of(Evenness.PAD, Evenness.DROP)) {
                var assignment = new ShardAssignment(3, 2, evenness);
                int each = evenness == Evenness.PAD ? (count + 5) / 6 : count / 6;
                for (int rank = 0; rank < 3; rank++) {
                    assertThat(assignment.of(shards(count), rank, 0)).hasSize(each);
                    assertThat(assignment.of(shards(count), rank, 1)).hasSize(each);
                }
            }
        }
    }

    /** What the command prints for Python, Python computes. */
    @Test
    void pythonGivesTheSameNumbers() throws Exception {
        var lines = new ArrayList<String>();
        var ours = new ArrayList<String>();
        lines.add("import random");
        for (var evenness : Evenness.values()) {
            for (int count : new int[] {1, 5, 24, 131}) {
                for (int rank = 0; rank < 3; rank++) {
                    var assignment = new ShardAssignment(3, 2, evenness);
                    lines.add("shards = list(range(%d))".formatted(count));
                    lines.add(assignment.python(rank, 1, true, 7, rank));
                    lines.add("print(mine)");
                    ours.add(assignment.of(ShardAssignment.epoch(shards(count), 7, rank), rank, 1).toString());
                }
            }
        }
        var python = new ProcessBuilder("python3", "-c", String.join("\n", lines)).redirectErrorStream(true).start();
        assertThat(new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines())
                .containsExactlyElementsOf(ours);
    }
}
