package volsh.command.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.disk.LocalTrees;
import volsh.s3test.S3Server;

/** What was saved --until committed comes back from the bucket alone, with the machine that saved it gone. */
final class CheckpointCommittedTest {
    @TempDir
    Path directory;

    private static Scratch.Ended ok(Scratch machine, String line) {
        var ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isZero();
        return ended;
    }

    private static byte[] weights(int count) {
        var random = new Random(1);
        var bytes = ByteBuffer.allocate(4 * count).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            bytes.putFloat((float) (random.nextGaussian() * 0.02));
        }
        return bytes.array();
    }

    @Test
    void itSurvivesTheLossOfItsHost() throws Exception {
        var first = new Scratch(directory.resolve("first"));
        var second = new Scratch(directory.resolve("second"));
        String bucket = "s3://" + S3Server.shared().newBucket() + "/volumes";
        String how = " --endpoint %s --region us-east-1 --anonymous".formatted(S3Server.shared().endpoint());
        Path model = Files.createDirectory(directory.resolve("out"));
        byte[] weights = weights(75_000);
        Files.write(model.resolve("weights.bin"), weights);
        Files.writeString(model.resolve("config.json"), "{\"small\": true}");
        ok(first, "store add lake " + bucket + how);
        ok(first, "volume create ckpts --store lake --block-size 64KiB --compression planes");
        ok(first, "checkpoint save ckpts --run r1 --step 5 --from %s --metric loss=0.5 --until committed"
                .formatted(model));
        assertThat(ok(first, "durability ckpts:/r1/step-000000000005/weights.bin -o value:state").out())
                .isEqualTo("committed\n");
        ok(first, "checkpoint save ckpts --run r1 --step 6 --from %s --rank 0 --world 1 --until committed"
                .formatted(model));
        String stored = ok(first, "volume show ckpts -o json").out()
                .replaceFirst("(?s).*\"storedBytes\": (\\d+).*", "$1");
        assertThat(Long.parseLong(stored)).as("planes are smaller than floats").isBetween(1L, weights.length * 9L / 10);
        LocalTrees.remove(directory.resolve("first"));

        ok(second, "volume attach " + bucket + how);
        assertThat(ok(second, "checkpoint list ckpts -o csv --columns step,state,latest").out())
                .isEqualToNormalizingNewlines("step,state,latest\n5,valid,false\n6,valid,true\n");
        assertThat(ok(second, "checkpoint verify ckpts -o value:result").out()).isEqualTo("ok\nok\n");
        ok(second, "checkpoint restore ckpts --run r1 --step 5 --to " + directory.resolve("resume"));
        assertThat(Files.readAllBytes(directory.resolve("resume/weights.bin"))).isEqualTo(weights);
    }
}
