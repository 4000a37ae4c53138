package volsh.command.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import volsh.disk.LocalTrees;

/** The acts of the demo in their order. Each checks what it claims. */
final class Acts {
    static final String VOLUME = "training-data";
    private static final String DATA = VOLUME + ":/dataset";
    static final String SNAPSHOT = VOLUME + "@v1";

    private final Stage stage;
    private final Demo.Vandal vandal;
    private final Path data;
    private final Path copy;
    private Map<String, String> digests = Map.of();

    Acts(Stage stage, Demo.Vandal vandal) {
        this.stage = stage;
        this.vandal = vandal;
        this.data = stage.path("dataset");
        this.copy = stage.path("copy");
    }

    /** Runs all acts. @return what they prove */
    String play() throws Exception {
        Dataset.make(data, stage.cancellation());
        digests = Dataset.digests(data, stage.cancellation());
        stage.story().act("A volume: compressed, checksummed blocks in a store, here a directory that is as slow as a"
                + " bucket");
        stage.briefly("store", "add", "lake", "file://" + stage.path("lake") + "?latency=3ms");
        stage.briefly("volume", "create", VOLUME, "--store", "lake", "--block-size", "1MiB");
        var mount = new MountActs(stage, digests.size());
        boolean mounted = mount.begin();
        if (mounted) {
            mount.writeAndRead();
        } else {
            putAndGet();
        }
        timeTravel(mounted ? Optional.of(mount) : Optional.empty());
        checkpoints();
        if (mounted) {
            mount.end();
        }
        damage();
        stage.briefly("volume", "destroy", VOLUME, "--confirm", VOLUME);
        stage.aside("files left of the volume", this::nothingLeft);
        return "%d files came back as they were written%s; the past and a checkpoint were restored; volsh detected one"
                .formatted(digests.size(), mounted ? "" : " (without a mount)")
                + " flipped bit and returned no wrong byte; nothing is left behind";
    }

    private void putAndGet() throws Exception {
        stage.volsh("put", "-r", data.toString(), VOLUME + ":/");
        getBack();
    }

    private void getBack() throws Exception {
        stage.volsh("get", "-r", DATA, copy.toString());
        stage.aside("SHA-256 of every file, before and after", () -> same(data, copy));
        LocalTrees.remove(copy);
    }

    /** A directory is lost; the snapshot still has it. */
    private void timeTravel(Optional<MountActs> mount) throws Exception {
        stage.story().act("Time travel: a directory is lost, and comes back");
        stage.briefly("snapshot", "create", SNAPSHOT);
        if (mount.isPresent()) {
            stage.program("rm -r mnt/dataset/shards", Stage::succeeded);
        } else {
            stage.volsh("rm", "-r", "-y", DATA + "/shards");
        }
        stage.volsh("snapshot", "diff", SNAPSHOT);
        stage.volsh("snapshot", "restore", SNAPSHOT + ":/dataset/shards", "-y");
        if (mount.isPresent()) {
            mount.get().again();
        } else {
            getBack();
        }
    }

    /** The second checkpoint stores what changed; the latest comes back as it was saved. */
    private void checkpoints() throws Exception {
        stage.story().act("Checkpoints: complete or absent, verified, and only what changed is stored");
        Path model = Model.make(stage.path("model"), stage.cancellation());
        save("1000", "loss=0.42");
        Model.train(model);
        save("2000", "loss=0.31");
        stage.volsh("checkpoint", "list", VOLUME, "--columns", "step,state,size,new,metrics");
        stage.volsh("checkpoint", "restore", VOLUME, "--run", "r1", "--to", stage.path("resume").toString());
        stage.aside("SHA-256 of the model, before and after",
                () -> same(stage.path("model"), stage.path("resume")));
    }

    private void save(String step, String metric) throws Exception {
        stage.volsh("checkpoint", "save", VOLUME, "--run", "r1", "--step", step, "--from",
                stage.path("model").toString(), "--metric", metric);
    }

    private void damage() throws Exception {
        stage.story().act("Damage: a wrong byte is never returned");
        Path blocks = stage.path("lake");
        stage.aside("flip one bit of a stored block, as a failing disk would", () -> {
            Damage damage = vandal.damage(blocks);
            return "byte %d of %s".formatted(damage.offset(), blocks.relativize(damage.block()));
        });
        stage.volsh(this::detected, "get", "-r", DATA, copy.toString());
    }

    /** Damaged files must fail, and all returned files must be intact. */
    private String detected(DemoHome.Ended ended) throws Exception {
        if (ended.status() == 0) {
            throw new Story.Broken("volsh did not detect the damage");
        }
        Map<String, String> given = Files.exists(copy) ? Dataset.digests(copy, stage.cancellation()) : Map.of();
        for (var file : given.entrySet()) {
            if (!file.getValue().equals(digests.get(file.getKey()))) {
                throw new Story.Broken("volsh returned wrong bytes as " + file.getKey());
            }
        }
        return "%s%n%d other files are intact".formatted(ended.shown(), given.size());
    }

    private String same(Path before, Path after) throws Exception {
        var expected = Dataset.digests(before, stage.cancellation());
        if (!expected.equals(Dataset.digests(after, stage.cancellation()))) {
            throw new Story.Broken("the copy differs from the original");
        }
        return "%d of %d are identical".formatted(expected.size(), expected.size());
    }

    private String nothingLeft() throws Exception {
        for (String place : new String[] {"lake", "home/state/volumes"}) {
            try (var left = Files.walk(stage.path(place))) {
                long files = left.filter(Files::isRegularFile).count();
                if (files > 0) {
                    throw new Story.Broken(files + " files are left in " + place);
                }
            }
        }
        return "nothing";
    }
}
