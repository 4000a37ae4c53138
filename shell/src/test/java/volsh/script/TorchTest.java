package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.HomeProcesses;

/**
 * What the real torch writes on a mount is there after a remount, bit by bit, and is understood by checkpoints. Runs
 * where torch is installed.
 */
@Timeout(600)
final class TorchTest {
    private static final Path PYTHON = Path.of("/usr/bin/python3");

    /** Prints the number of tensors of what it saved, and their sum. */
    private static final String SAVE = """
            import os, sys, torch
            torch.manual_seed(7)
            model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 64))
            adam = torch.optim.Adam(model.parameters())
            for _ in range(2):
                adam.zero_grad()
                model(torch.randn(8, 256)).square().mean().backward()
                adam.step()
            with open(sys.argv[1], "wb") as out:
                torch.save({"model": model.state_dict(), "optimizer": adam.state_dict(), "epoch": 10}, out)
                out.flush()
                os.fsync(out.fileno())
            torch.save(model.state_dict(), sys.argv[2])
            print(sum(p.sum().item() for p in model.parameters()))
            """;

    private static final String LOAD = """
            import sys, torch
            saved = torch.load(sys.argv[1])
            assert saved["epoch"] == 10 and len(saved["optimizer"]["state"]) == 4
            plain = torch.load(sys.argv[2])
            assert all(torch.equal(plain[name], saved["model"][name]) for name in plain)
            print(sum(p.sum().item() for p in saved["model"].values()))
            """;

    private static final String ODD = """
            import sys, torch
            nan = float("nan")
            torch.save({"f": torch.tensor([1.0, nan, float("inf")]), "b": torch.tensor([nan] * 3, dtype=torch.bfloat16), "h": torch.full((1,), nan).half(),
                        "i": torch.full((1000,), -1)}, sys.argv[1])
            """;

    @TempDir
    Path directory;

    private Workshop workshop;

    @BeforeEach
    void requireTorch() throws Exception {
        boolean there = Files.exists(PYTHON) && python(
                "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)").status() == 0;
        if (!there) {
            System.out.println(("TorchTest skipped: %s has no torch (apt-get install --no-install-recommends "
                    + "python3-torch)").formatted(PYTHON));
        }
        Assumptions.assumeTrue(there, "skipped: no torch");
        workshop = new Workshop(directory);
    }

    @AfterEach
    void leaveNoMount() throws IOException {
        if (workshop != null) {
            workshop.run("umount", "--all", "--lazy");
            HomeProcesses.awaitEnd(directory);
        }
    }

    private record Said(int status, String text) {}

    private static Said python(String code, String... arguments) throws Exception {
        var words = new java.util.ArrayList<>(List.of(PYTHON.toString(), "-W", "ignore", "-c", code));
        words.addAll(List.of(arguments));
        var process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Said(process.waitFor(), text.strip());
    }

    private static String run(String code, Path... arguments) throws Exception {
        var said = python(code, java.util.Arrays.stream(arguments).map(Path::toString).toArray(String[]::new));
        assertThat(said.status()).as(said.text()).isZero();
        return said.text();
    }

    private static String hash(Path file) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }

    private Workshop.Ended ok(String... words) throws IOException {
        var ended = workshop.run(words);
        assertThat(ended.status()).as(String.join(" ", words) + "\n" + ended.out() + ended.err()).isZero();
        return ended;
    }

    @Test
    void whatTorchSavesSurvivesARemountAndIsUnderstood() throws Exception {
        ok("volume", "create", "ckpt", "--profile", "checkpoints", "--compression", "planes", "-q");
        Path mount = Files.createDirectory(directory.resolve("mnt"));
        ok("mount", "ckpt", mount.toString(), "--wait-ready", "2m");
        Files.createDirectory(mount.resolve("out"));
        Path whole = mount.resolve("out/epoch_10.pt");
        Path plain = mount.resolve("out/model.pt");
        String sum = run(SAVE, whole, plain);
        String before = hash(whole) + hash(plain);
        ok("checkpoint", "queue", mount.resolve("out").toString(), "--run", "torch", "--step", "10");
        ok("checkpoint", "wait", "--timeout", "5m");
        ok("umount", mount.toString());
        ok("mount", "ckpt", mount.toString(), "--wait-ready", "2m");
        assertThat(hash(whole) + hash(plain)).as("SHA-256 after the remount").isEqualTo(before);
        assertThat(run(LOAD, whole, plain)).as("what torch loads").isEqualTo(sum);
        Path latest = mount.resolve("torch/latest");
        assertThat(hash(latest.resolve("epoch_10.pt")) + hash(latest.resolve("model.pt"))).as("the checkpoint")
                .isEqualTo(before);
        ok("umount", mount.toString());

        int tensors = Integer.parseInt(ok("checkpoint", "verify", "ckpt", "--run", "torch", "-o", "value:tensors").out()
                .strip());
        System.out.println("torch: checkpoint verify sees " + tensors + " tensors in two files");
        assertThat(tensors).as("4 of the model and 12 of Adam, and 4 of the model again").isEqualTo(20);
        Path resume = directory.resolve("resume");
        ok("checkpoint", "restore", "ckpt", "--run", "torch", "--to", resume.toString());
        assertThat(run(LOAD, resume.resolve("epoch_10.pt"), resume.resolve("model.pt"))).isEqualTo(sum);

        Path odd = Files.createDirectory(directory.resolve("odd"));
        run(ODD, odd.resolve("odd.pt"));
        ok("checkpoint", "save", "ckpt", "--run", "odd", "--step", "1", "--from", odd.toString());
        var counted = workshop.run("checkpoint", "verify", "ckpt", "--run", "odd", "-o", "csv", "--columns",
                "result,tensors,nan,inf,wrong");
        assertThat(counted.out()).as("by the types and names that torch tells")
                .contains("nan,4,5,1,", "odd.pt: b", "odd.pt: f", "odd.pt: h");
        assertThat(counted.status()).isEqualTo(7);

        byte[] bytes = Files.readAllBytes(resume.resolve("model.pt"));
        Files.write(resume.resolve("model.pt"), java.util.Arrays.copyOf(bytes, bytes.length - 100));
        ok("checkpoint", "save", "ckpt", "--run", "torn", "--step", "1", "--from", resume.toString());
        var torn = workshop.run("checkpoint", "verify", "ckpt", "--run", "torn", "-o", "json");
        assertThat(torn.status()).as("a truncated archive").isEqualTo(7);
        assertThat(torn.out()).contains("model.pt");
    }
}
