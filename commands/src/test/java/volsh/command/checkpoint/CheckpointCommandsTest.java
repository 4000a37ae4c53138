package volsh.command.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

final class CheckpointCommandsTest {
    @TempDir
    Path directory;

    private Path model;

    @BeforeEach
    void model() throws IOException {
        model = Files.createDirectory(directory.resolve("out"));
        Files.writeString(model.resolve("weights.bin"), "w".repeat(100_000));
        Files.writeString(model.resolve("config.json"), "{}");
        assertThat(run("volume create ckpts").status()).isZero();
    }

    private Scratch.Ended run(String line) {
        return new Scratch(directory.resolve("home")).run("volsh " + line);
    }

    private Scratch.Ended save(long step, double loss) {
        return run("checkpoint save ckpts --run r1 --step %d --from %s --metric loss=%s".formatted(step, model, loss));
    }

    @Test
    void fromSaveToRestore() throws IOException {
        var saved = save(5000, 0.5);
        assertThat(saved.err()).contains(
                "saved ckpts:/r1/step-000000005000 (2 files, 97.7KiB, 97.7KiB of it new, 2B inline in the metadata)");
        assertThat(save(6000, 0.25).status()).isZero();
        assertThat(run("checkpoint list ckpts -o csv --columns run,step,state,files,latest").out())
                .isEqualToNormalizingNewlines(
                        "run,step,state,files,latest\nr1,5000,valid,2,false\nr1,6000,valid,2,true\n");
        assertThat(run("checkpoint latest ckpts --run r1 -o value:step").out().strip()).isEqualTo("6000");
        assertThat(run("checkpoint show ckpts --run r1 --step 5000 -o csv --columns path,size").out())
                .contains("weights.bin,100000");
        assertThat(run("checkpoint verify ckpts --run nosuch").status()).as("nothing is not success").isEqualTo(3);
        assertThat(run("checkpoint verify ckpts --run nosuch").err()).contains("no checkpoint of run 'nosuch'",
                "volsh checkpoint list ckpts");
        assertThat(run("checkpoint verify ckpts -o csv --columns result").out())
                .isEqualToNormalizingNewlines("result\nok\nok\n");
        Path target = directory.resolve("resume");
        assertThat(run("checkpoint restore ckpts --run r1 --to " + target).status()).isZero();
        assertThat(Files.mismatch(model.resolve("weights.bin"), target.resolve("weights.bin"))).isEqualTo(-1);
        assertThat(run("checkpoint restore ckpts --run r1 --to " + target).status()).isEqualTo(4);
        assertThat(run("checkpoint restore ckpts --run r1 --to " + target + " --force").status()).isZero();
        assertThat(run("cat ckpts:/r1/latest/config.json").out()).isEqualTo("{}");
    }

    @Test
    void pruningKeepsWhatRulesAndPinsKeep() {
        for (int i = 1; i <= 6; i++) {
            assertThat(save(i * 1000L, 1.0 / i).status()).isZero();
        }
        assertThat(run("checkpoint pin ckpts --run r1 --step 1000").status()).isZero();
        var plan = run("checkpoint prune ckpts --run r1 --keep last=2,every=3000 -n");
        assertThat(plan.out()).contains("step-000000002000", "step-000000004000")
                .doesNotContain("step-000000001000", "step-000000003000");
        assertThat(plan.err())
                .contains("run 'r1': keeps 1000 (pinned), 3000 (every=3000), 5000 (last=2), 6000 (the newest, latest, "
                        + "last=2, every=3000)");
        assertThat(run("checkpoint prune ckpts --run r1 --keep best=los:min:2 -n").err())
                .contains("no checkpoint of run 'r1' has a metric 'los'; best=los keeps none");
        assertThat(run("checkpoint prune ckpts --run r1 --keep last=2,every=3000").status()).as("nobody answered")
                .isEqualTo(2);
        assertThat(run("checkpoint prune ckpts --run r1 --keep last=2,every=3000 -y").status()).isZero();
        assertThat(run("checkpoint list ckpts -o value:step").out().lines())
                .containsExactly("1000", "3000", "5000", "6000");
        assertThat(run("checkpoint destroy ckpts --run r1 --step 1000 -y").status()).isEqualTo(5);
        assertThat(run("checkpoint unpin ckpts --run r1 --step 1000").status()).isZero();
        assertThat(run("checkpoint destroy ckpts --run r1 --step 1000 -y").status()).isZero();
        assertThat(run("checkpoint prune ckpts --run r1 --keep last=9 -y").status()).isZero();
    }

    /** Without a run the rules hold for each run by itself. */
    @Test
    void everyRunIsPrunedByItself() {
        for (String run : java.util.List.of("a", "b")) {
            for (int step = 1; step <= 3; step++) {
                assertThat(run("checkpoint save ckpts --run %s --step %d --from %s".formatted(run, step, model))
                        .status()).isZero();
            }
        }
        assertThat(run("checkpoint prune ckpts --keep last=3 -n").out()).doesNotContain("remove");
        assertThat(run("checkpoint prune ckpts --keep last=1 -y").status()).isZero();
        assertThat(run("checkpoint list ckpts -o csv --columns run,step").out())
                .isEqualToNormalizingNewlines("run,step\na,3\nb,3\n");
    }

    /** "This checkpoint came from that state of the data": a snapshot that is there. */
    @Test
    void theDataItWasTrainedOnIsRemembered() {
        String save = "checkpoint save ckpts --run r1 --step 1 --from " + model + " --data ";
        assertThat(run(save + "imagenet@v1").status()).as("no such volume").isEqualTo(3);
        assertThat(run("volume create imagenet").status()).isZero();
        assertThat(run(save + "imagenet@v1").err()).contains("no snapshot 'v1'");
        assertThat(run(save + "imagenet").status()).as("not a snapshot").isEqualTo(2);
        assertThat(run("snapshot create imagenet@v1").status()).isZero();
        assertThat(run(save + "imagenet@v1").status()).isZero();
        String tick = run("snapshot show imagenet@v1 -o value:tick").out().strip();
        assertThat(run("checkpoint list ckpts -o json").out())
                .contains("\"data\":\"imagenet@v1\"", "\"data.tick\":\"" + tick + "\"", "\"data.volume\":\"");
    }

    /** Damage in a file of the volume is exit 7, and names it. */
    @Test
    void damageIsExitSeven() throws IOException {
        save(1, 1);
        Files.writeString(directory.resolve("other"), "v".repeat(100_000));
        assertThat(run("put " + directory.resolve("other") + " ckpts:/r1/step-000000000001/weights.bin").status())
                .isZero();
        var ended = run("checkpoint verify ckpts --run r1 -o csv --columns result,wrong");
        assertThat(ended.status()).isEqualTo(7);
        assertThat(ended.out()).contains("damaged,", "weights.bin");
        assertThat(run("events --kind checkpoint -o csv --columns level,subject,text").out())
                .contains("info,ckpts:/r1/step-000000000001,\"saved (2 files",
                        "error,ckpts:/r1/step-000000000001,damaged: weights.bin");
        assertThat(run("checkpoint restore ckpts --run r1 --to " + directory.resolve("to")).status()).isEqualTo(7);
        assertThat(directory.resolve("to")).doesNotExist();
    }

    /** What verify found is known to list, latest and restore, until it finds it gone. */
    @Test
    void whatVerifyFoundIsKnown() throws IOException {
        save(1, 1);
        save(2, 1);
        Files.writeString(directory.resolve("other"), "v".repeat(100_000));
        var weights = "ckpts:/r1/step-000000000002/weights.bin";
        assertThat(run("put %s %s".formatted(directory.resolve("other"), weights)).status()).isZero();
        assertThat(run("checkpoint latest ckpts --run r1 -o value:step").out()).isEqualTo("2\n");     // nobody looked
        assertThat(run("checkpoint verify ckpts").status()).isEqualTo(7);
        assertThat(run("checkpoint list ckpts -o csv --columns step,state,latest,trouble").out())
                .contains("1,valid,false,", "2,damaged,true,verify found damage at ", "weights.bin");
        var latest = run("checkpoint latest ckpts --run r1 -o value:step");
        assertThat(latest.out()).isEqualTo("1\n");
        assertThat(latest.err()).contains("the last saved step 2 is damaged (verify found damage at ",
                "step 1 is the newest");
        var restored = run("checkpoint restore ckpts --run r1 --to " + directory.resolve("to"));
        assertThat(restored.err()).contains("the last saved step 2 is damaged", "restored ckpts:/r1/step-000000000001");
        assertThat(run("checkpoint restore ckpts --run r1 --step 2 --to " + directory.resolve("two")).status())
                .isEqualTo(7);
        assertThat(run("put %s %s".formatted(model.resolve("weights.bin"), weights)).status()).isZero();
        assertThat(run("checkpoint latest ckpts --run r1 -o value:step").out()).isEqualTo("1\n");     // nobody looked
        assertThat(run("checkpoint verify ckpts").status()).isZero();
        assertThat(run("checkpoint latest ckpts --run r1 -o value:step").out()).isEqualTo("2\n");
        assertThat(run("checkpoint list ckpts -o value:state").out()).isEqualTo("valid\nvalid\n");
    }

    /** Numbers that are none are a finding, with the tensors that have them; a job that means them says so. */
    @Test
    void numbersThatAreNoneAreExitSeven() throws IOException {
        byte[] numbers = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putFloat(1).putFloat(Float.NaN).array();
        tensor(numbers);
        assertThat(save(1, 1).status()).isZero();
        var found = run("checkpoint verify ckpts --run r1 -o csv --columns result,nan,inf,wrong");
        assertThat(found.out()).contains("nan,1,0,\"[\"\"model.safetensors: w\"\"]\"");
        assertThat(found.status()).isEqualTo(7);
        var allowed = run("checkpoint verify ckpts --run r1 --allow-nan -o csv --columns result,nan");
        assertThat(allowed.out()).isEqualToNormalizingNewlines("result,nan\nok,1\n");
        assertThat(allowed.status()).isZero();
        assertThat(run("events --kind checkpoint -o csv --columns level,text").out())
                .contains("warning,nan: model.safetensors: w");
        tensor(ByteBuffer.wrap(numbers).order(ByteOrder.LITTLE_ENDIAN).putFloat(4, Float.NEGATIVE_INFINITY).array());
        assertThat(save(2, 1).status()).isZero();
        assertThat(run("checkpoint verify ckpts --run r1 --step 2 -o value:result").out()).isEqualTo("inf\n");
        assertThat(run("checkpoint diff ckpts 1 2 --run r1 -o csv --columns tensor,largest").out()).contains("w,inf");
    }

    private void tensor(byte[] numbers) throws IOException {
        String header = "{\"w\":{\"dtype\":\"F32\",\"shape\":[%d],\"data_offsets\":[0,%d]}}"
                .formatted(numbers.length / 4, numbers.length);
        Files.write(model.resolve("model.safetensors"),
                ByteBuffer.allocate(8 + header.length() + numbers.length).order(ByteOrder.LITTLE_ENDIAN)
                .putLong(header.length()).put(header.getBytes(StandardCharsets.US_ASCII)).put(numbers).array());
    }

    @Test
    void whatWasSaidOfItIsShown() {
        assertThat(run(("checkpoint save ckpts --run r1 --step 1 --from %s --metric loss=0.5 --label team=vision "
                + "--label note='two words'").formatted(model)).status()).isZero();
        assertThat(run("checkpoint show ckpts --run r1").err())
                .contains("metrics: loss=0.5", "labels: note=two words, team=vision");
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThat(run("checkpoint save ckpts --run r1 --step 1 --from " + directory.resolve("none")).status())
                .isEqualTo(3);
        assertThat(run("checkpoint save none --run r1 --step 1 --from " + model).status()).isEqualTo(3);
        assertThat(run("checkpoint save ckpts --run ../x --step 1 --from " + model).status()).isEqualTo(2);
        assertThat(run("checkpoint save ckpts --run r1 --step -1 --from " + model).status()).isEqualTo(2);
        assertThat(run("checkpoint latest ckpts --run r1").err())
                .contains("no checkpoint of run 'r1'", "volsh checkpoint list ckpts");
        assertThat(run("checkpoint prune ckpts --run r1 --keep yearly=3").err())
                .contains("invalid retention rule: 'yearly=3'");
        assertThat(save(1, 1).status()).isZero();
        assertThat(save(1, 1).status()).isEqualTo(4);
        assertThat(run("checkpoint save ckpts --run r1 --step 2 --from " + model + " --parallel 0").status())
                .isEqualTo(2);
    }

    /**
     * What is called new is what the store got: small files are in the metadata, whether they changed or not, and a
     * second name of a file is nothing new.
     */
    @Test
    void whatIsNewIsWhatTheStoreGot() throws IOException {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create truth --block-size 64KiB");
        var source = Files.createDirectories(directory.resolve("truth"));
        Files.write(source.resolve("small"), new byte[] {1, 2, 3});
        var large = new byte[3 * 65_536];   // whole pieces: a short last one is stored again
        new java.util.Random(5).nextBytes(large);
        Files.write(source.resolve("large"), large);
        Files.createLink(source.resolve("second"), source.resolve("large"));
        var first = scratch.ok("checkpoint save truth --run r --step 1 --from " + source);
        assertThat(first.err()).contains("(3 files, 384KiB, 192KiB of it new, 3B inline in the metadata)");
        long stored = Long.parseLong(scratch.ok("df truth -o value:stored").out().strip());
        var again = scratch.ok("checkpoint save truth --run r --step 2 --from " + source);
        assertThat(again.err()).contains("(3 files, 384KiB, 0B of it new, 3B inline in the metadata)");
        assertThat(scratch.ok("df truth -o value:stored").out().strip()).as("the manifest alone may be new")
                .satisfies(now -> assertThat(Long.parseLong(now) - stored).isLessThan(2_000));
        assertThat(scratch.ok("checkpoint show truth --run r --step 2 -o csv --columns path,new,shared,inline").out())
                .contains("small,0,0,3", "large,0,196608,0", "second,0,196608,0");
        assertThat(scratch.ok("checkpoint list truth -o csv --columns step,new,inline").out()).contains("2,0,3");
    }
}
