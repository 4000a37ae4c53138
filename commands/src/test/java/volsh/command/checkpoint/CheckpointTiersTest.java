package volsh.command.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

/** A fast store keeps the newest checkpoints, an archive the rest; and what --until replicated promises. */
final class CheckpointTiersTest {
    private static final int BLOCK = 64 << 10;
    private static final int BLOCKS = 8;

    @TempDir
    Path directory;

    private Path model;

    @BeforeEach
    void model() throws IOException {
        model = Files.createDirectory(directory.resolve("out"));
        for (String store : new String[] {"fast", "cold1", "cold2"}) {
            ok("store add %s file://%s --pool %s".formatted(store, directory.resolve(store),
                    store.replaceAll("\\d", "")));
        }
    }

    private Scratch.Ended run(String line) {
        return new Scratch(directory.resolve("home")).run("volsh " + line);
    }

    private Scratch.Ended ok(String line) {
        var ended = run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isZero();
        return ended;
    }

    /** Step n differs from the one before in block n. */
    private void save(int step, String more) throws IOException {
        byte[] bytes = new byte[BLOCKS * BLOCK];
        for (int i = 0; i < BLOCKS; i++) {
            byte[] block = new byte[BLOCK];
            new SplittableRandom(i <= step ? 1000 + i : i).nextBytes(block);
            System.arraycopy(block, 0, bytes, i * BLOCK, BLOCK);
        }
        Files.write(model.resolve("weights.bin"), bytes);
        ok("checkpoint save ckpts --run r1 --step %d --from %s %s".formatted(step, model, more));
    }

    private TreeSet<String> objects(String store) throws IOException {
        var found = new TreeSet<String>();
        try (var files = Files.walk(directory.resolve(store))) {
            files.filter(file -> file.toString().contains("/blocks/")).map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("[0-9a-f]{16}")).forEach(found::add);
        }
        return found;
    }

    @Test
    void theNewestStayFastAndTheRestAreArchived() throws IOException {
        ok("volume create ckpts --store fast,cold1,cold2 --layout stripe:1,pool=fast --block-size 64KiB "
                + "--compression none");
        for (int step = 1; step <= 4; step++) {
            save(step, "");
        }
        ok("checkpoint pin ckpts --run r1 --step 1");
        assertThat(objects("fast")).as("8 blocks, then one new one each").hasSize(11);
        assertThat(objects("cold1")).isEmpty();
        String archive = "checkpoint archive ckpts --run r1 --keep last=2 --mirror 2 --pool cold";
        assertThat(ok(archive + " -n").out()).contains("step-000000000001", "step-000000000002",
                "128.2KiB in 2 blocks to mirror:2,pool=cold").doesNotContain("00003");
        assertThat(objects("fast")).as("only planned").hasSize(11);
        assertThat(ok(archive + " -o csv --columns step,blocks,left").out())
                .isEqualToNormalizingNewlines("step,blocks,left\n1,2,6\n2,0,7\n");
        assertThat(objects("fast")).as("what steps 3 and 4 use").hasSize(9);
        assertThat(objects("cold1")).as("whole on both").hasSize(2).isEqualTo(objects("cold2"));
        assertThat(ok(archive + " -o csv --columns step").out().strip()).as("nothing is left to do").isEqualTo("step");
        assertThat(ok("checkpoint verify ckpts -o value:result").out()).isEqualTo("ok\nok\nok\nok\n");

        assertThat(ok("checkpoint archive ckpts --run r1 --keep last=1 --mirror 2 --pool cold -o value:step").out())
                .as("3, and what 1 shared with it").isEqualTo("1\n3\n");
        assertThat(objects("fast")).as("what step 4 uses").hasSize(8);
        save(5, "");
        ok("checkpoint prune ckpts --run r1 --keep last=1 -y");
        assertThat(ok("checkpoint list ckpts -o value:step").out()).as("a pin keeps what is archived, too")
                .isEqualTo("1\n5\n");
        ok("checkpoint archive ckpts --run r1 --keep last=1 --mirror 2 --pool cold");
        ok("checkpoint restore ckpts --run r1 --step 1 --to " + directory.resolve("resume"));
        byte[] restored = Files.readAllBytes(directory.resolve("resume/weights.bin"));
        byte[] block = new byte[BLOCK];
        new SplittableRandom(2).nextBytes(block);
        assertThat(java.util.Arrays.copyOfRange(restored, 2 * BLOCK, 3 * BLOCK)).as("block 2 as it was in step 1")
                .isEqualTo(block);
    }

    @Test
    void whatCannotBeArchivedIsRefused() {
        ok("volume create plain");
        assertThat(run("checkpoint archive plain --run r1 --keep last=1 --mirror 2").err())
                .contains("has one store", "volsh store list");
        ok("volume create ckpts --store fast,cold1,cold2 --stripe-count 1");
        assertThat(run("checkpoint archive ckpts --run r1 --keep last=1").status()).isEqualTo(2);
        assertThat(run("checkpoint archive ckpts --run r1 --keep last=1").err())
                .contains("missing layout", "--layout stripe:all --dry-run");
        assertThat(run("checkpoint archive ckpts --run r1 --keep last=1 --mirror 2 --pool none").status()).isNotZero();
        assertThat(ok("checkpoint archive ckpts --run r1 --keep last=1 --mirror 2 -n").out())
                .as("no such run: nothing to move").doesNotContain("move ");
    }

    /**
     * Exit 0 means that any store may be lost; one that does not take its part is exit 6, with the checkpoint saved.
     */
    @Test
    void replicatedMeansThatAStoreMayBeLost() throws IOException {
        ok("volume create one --ship-metadata on");
        Files.writeString(model.resolve("config.json"), "{}");
        assertThat(run("checkpoint save one --run r1 --step 1 --from %s --until replicated".formatted(model)).err())
                .contains("keeps each block in one store", "volsh store list");
        ok("volume create ckpts --store fast,cold1,cold2 --mirror 3 --block-size 64KiB --ship-metadata off");
        assertThat(run("checkpoint save ckpts --run r1 --step 1 --from %s --until replicated".formatted(model)).err())
                .contains("ship-metadata=on");
        ok("volume set ckpts ship-metadata=on");
        save(1, "--until replicated");
        assertThat(objects("cold2")).hasSize(BLOCKS).isEqualTo(objects("fast"));
        assertThat(ok("volume show ckpts -o value:unshipped").out()).isEqualTo("0\n");

        Path away = directory.resolve("away");
        Files.move(directory.resolve("cold2"), away);
        Files.writeString(directory.resolve("cold2"), "a store that is broken");
        save(2, "--until committed");
        var lacking = run("checkpoint save ckpts --run r1 --step 3 --from %s --until replicated".formatted(model));
        assertThat(lacking.status()).as(lacking.err()).isEqualTo(6);
        assertThat(lacking.err()).contains("is committed, but not replicated", "volsh heal ckpts");
        assertThat(ok("checkpoint latest ckpts --run r1 -o value:step").out()).isEqualTo("3\n");
        Files.delete(directory.resolve("cold2"));
        Files.move(away, directory.resolve("cold2"));
        save(4, "--until replicated");
        for (String store : new String[] {"cold1", "cold2"}) {
            Files.move(directory.resolve(store), directory.resolve("lost"));
            Files.writeString(directory.resolve(store), "lost");
            assertThat(ok("checkpoint verify ckpts --run r1 --step 4 -o value:result").out()).as("without " + store)
                    .isEqualTo("ok\n");
            Files.delete(directory.resolve(store));
            Files.move(directory.resolve("lost"), directory.resolve(store));
        }
    }
}
