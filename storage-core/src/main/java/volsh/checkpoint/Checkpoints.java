package volsh.checkpoint;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.transfer.Naming;
import volsh.transfer.Observer;
import volsh.vfs.Vfs;

/**
 * The checkpoints of a volume. A checkpoint listed as valid is complete and survives power loss: its files are stored
 * and synced, then its manifest, then one rename gives it its name. Of several processes that save the same step of a
 * run, exactly one succeeds.
 */
public final class Checkpoints {
    private static final Pattern RUN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final Pattern STEP = Pattern.compile("step-(\\d{12})");
    private static final String LATEST = "latest";
    private static final byte[] PIN = "user.volsh.pin".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DAMAGED = "user.volsh.damaged".getBytes(StandardCharsets.US_ASCII);
    private static final int DAMAGE_TOLD = 500;
    private static final int OPEN_TO_ALL = 0755;

    private final String volume;
    private final Vfs vfs;
    private final Owner owner;
    private final InstantSource clock;
    private final int parallel;
    private final Observer observer;
    private final Tree tree;
    private final Workplace workplace;
    private final CheckpointContents contents;
    private final Saving saving;

    /** {@code volume} is its name in hints; {@code owner} owns new checkpoints. */
    public Checkpoints(String volume, Vfs vfs, Owner owner, InstantSource clock, int parallel, Observer observer) {
        this.volume = volume;
        this.vfs = vfs;
        this.owner = owner;
        this.clock = clock;
        this.parallel = parallel;
        this.observer = observer;
        this.tree = new Tree(vfs, owner);
        this.workplace = new Workplace(vfs, tree);
        this.contents = new CheckpointContents(vfs, parallel, observer);
        this.saving = new Saving(vfs, owner, clock, parallel, observer);
    }

    /** @throws IllegalArgumentException if it is not a valid run name */
    public static String checkRun(String run) {
        if (!RUN.matcher(run).matches()) {
            throw new IllegalArgumentException(("invalid run name: '%s' (use 1 to 100 letters, digits, dots, "
                    + "dashes and underscores)").formatted(run));
        }
        return run;
    }

    /** Saves a local directory. With {@code verify} it is read back and compared before it gets its name. */
    public Checkpoint save(String run, long step, Path source, Map<String, Double> metrics, boolean verify)
            throws IOException {
        return save(new SaveRequest(run, step, source, metrics, Map.of(), verify));
    }

    /** Saves a local directory. Bytes that the volume already has are shared. */
    public Checkpoint save(SaveRequest request) throws IOException {
        return save(request, OptionalInt.empty(), (place, name) -> appear(place, name, request.run(), request.step()));
    }

    /**
     * Saves the shard of one rank; all ranks of the world do so, each from its own process, and return when the
     * checkpoint exists.
     * @throws Refusal UNAVAILABLE if a rank is missing after {@code patience}: then nothing is saved
     */
    public Checkpoint saveShard(SaveRequest request, int rank, int world, Duration patience) throws IOException {
        var party = new Barrier.Party(request.run(), request.step(), rank, world, patience);
        return save(request, OptionalInt.of(rank),
                (place, name) -> new Barrier(volume, vfs, owner, clock, observer, new Barrier.Appearing() {
            @Override
            public void appear(long parent, Name meeting, String run, long step) throws IOException {
                Checkpoints.this.appear(parent, meeting, run, step);
            }

            @Override
            public OptionalLong find(String run, long step) throws IOException {
                return stepDirectory(run, step);
            }
        }).join(party, name));
    }

    /** Saves a file or directory of the volume itself: {@link #stage} and {@link #finish}. */
    public Checkpoint saveFrom(String run, long step, String path, Attributes source, Map<String, Double> metrics,
            Map<String, String> labels) throws IOException {
        return finish(stage(run, step, path, source, metrics, labels));
    }

    /** An immutable copy of what is to be saved. */
    public record Staged(SaveRequest request, long directory, Name name) {}

    /**
     * Copies a file or directory of the volume without moving bytes, so that later changes do not affect the
     * checkpoint. {@code path} is its name in messages. {@link #finish} must follow.
     */
    public Staged stage(String run, long step, String path, Attributes source, Map<String, Double> metrics,
            Map<String, String> labels) throws IOException {
        var request = new SaveRequest(run, step, Path.of(path), metrics, labels, false);
        requireFree(run, step);
        workplace.clean(clock.instant(), observer);
        long place = workplace.directory();
        var name = Name.of(Workplace.fresh(run, step, OptionalInt.empty()));
        long directory = vfs.makeDirectory(place, name, OPEN_TO_ALL, owner).ino();
        try {
            var cloning = new Cloning(vfs, owner, parallel, observer);
            if (source.isDirectory()) {
                cloning.fill(path, source, directory);
            } else {
                cloning.fill(path, source, directory, Name.of(path.substring(path.lastIndexOf('/') + 1)));
            }
            return new Staged(request, directory, name);
        } catch (IOException | RuntimeException failed) {
            tidy(place, name, failed);
            throw failed;
        }
    }

    /** Computes the digests, writes the manifest and gives the copy its name; on failure the copy is removed. */
    public Checkpoint finish(Staged staged) throws IOException {
        var request = staged.request();
        long place = workplace.directory();
        try {
            var manifest = saving.describe(request, parent(request.run()), staged.directory());
            appear(place, staged.name(), request.run(), request.step());
            return saved(request, manifest);
        } catch (IOException | RuntimeException failed) {
            tidy(place, staged.name(), failed);
            throw failed;
        }
    }

    /** Removes a copy that is not to be saved after all. */
    public void abandon(Staged staged) throws IOException {
        workplace.remove(workplace.directory(), staged.name(), observer);
    }

    /** Publishes a filled directory. */
    private interface Publishing {
        void run(long place, Name name) throws IOException;
    }

    private Checkpoint save(SaveRequest request, OptionalInt rank, Publishing publishing) throws IOException {
        Saving.requireSource(request.source());
        requireFree(request.run(), request.step());
        workplace.clean(clock.instant(), observer);
        long place = workplace.directory();
        var name = Name.of(Workplace.fresh(request.run(), request.step(), rank));
        long directory = vfs.makeDirectory(place, name, OPEN_TO_ALL, owner).ino();
        try {
            var manifest = saving.fill(request, parent(request.run()), directory);
            publishing.run(place, name);
            return saved(request, manifest);
        } catch (IOException | RuntimeException failed) {
            tidy(place, name, failed);
            throw failed;
        }
    }

    /** Checkpoints being saved, by any process, and what interrupted saves left behind. */
    public List<Underway> underway() throws IOException {
        return workplace.underway();
    }

    /** Whether there is a checkpoint of this step, valid or not. */
    public boolean has(String run, long step) throws IOException {
        return stepDirectory(checkRun(run), step).isPresent();
    }

    /** The checkpoint as it is now; it may have been removed since. */
    private Checkpoint saved(SaveRequest request, Manifest manifest) throws IOException {
        var there = stepDirectory(request.run(), request.step());
        return there.isPresent() ? look(request.run(), request.step(), there.getAsLong(), true)
                : new Checkpoint(request.run(), request.step(), Optional.of(manifest), "", false, false);
    }

    private OptionalLong stepDirectory(String run, long step) throws IOException {
        var runs = tree.find(Vfs.ROOT, run);
        var found = runs.isEmpty() ? Optional.<Attributes>empty()
                : tree.find(runs.get().ino(), Checkpoint.directory(step));
        return found.isEmpty() ? OptionalLong.empty() : OptionalLong.of(found.get().ino());
    }

    /** The step that {@code latest} refers to. */
    private OptionalLong parent(String run) throws IOException {
        var runs = tree.find(Vfs.ROOT, run);
        var name = STEP.matcher(runs.isEmpty() ? "" : latest(runs.get().ino()));
        return name.matches() ? OptionalLong.of(Long.parseLong(name.group(1))) : OptionalLong.empty();
    }

    private void requireFree(String run, long step) throws IOException {
        var there = tree.find(Vfs.ROOT, run);
        if (there.isPresent() && !there.get().isDirectory()) {
            throw new Refusal(Reason.CONFLICT, "%s:/%s is a file, not the directory of a run".formatted(volume, run));
        }
        if (there.isPresent() && tree.find(there.get().ino(), Checkpoint.directory(step)).isPresent()) {
            throw taken(run, step);
        }
    }

    private Refusal taken(String run, long step) {
        return new Refusal(Reason.CONFLICT, "step %d of run '%s' already exists".formatted(step, run),
                "volsh checkpoint show %s --run %s --step %d".formatted(volume, run, step));
    }

    private void appear(long place, Name name, String run, long step) throws IOException {
        long runs = tree.directory(Vfs.ROOT, run, OPEN_TO_ALL);
        try {
            vfs.rename(place, name, runs, Name.of(Checkpoint.directory(step)), RenameMode.NO_REPLACE);
        } catch (FsException refused) {
            throw refused.error() == FsError.EXISTS ? taken(run, step) : refused;
        }
        point(runs, step);
        vfs.sync();
    }

    /** Replaces {@code latest} atomically: readers find the old one or the new one. */
    private void point(long runs, long step) throws IOException {
        new Naming(vfs).symlink(runs, Name.of(LATEST), Checkpoint.directory(step).getBytes(StandardCharsets.US_ASCII),
                owner);
    }

    private void tidy(long place, Name name, Exception failed) {
        try {
            if (tree.find(place, name.toString()).isPresent()) {
                workplace.remove(place, name, Observer.NONE);
            }
        } catch (IOException | RuntimeException left) {
            failed.addSuppressed(left);     // the next save removes it
        }
    }

    /** All checkpoints, or those of one run; ordered by run and step. */
    public List<Checkpoint> list(Optional<String> run) throws IOException {
        if (run.isPresent()) {
            var there = RUN.matcher(run.get()).matches() ? directory(run.get()) : Optional.<Attributes>empty();
            return there.isEmpty() ? List.of() : of(run.get(), there.get().ino());
        }
        var found = new ArrayList<Checkpoint>();
        for (var entry : tree.entries(Vfs.ROOT)) {
            String name = entry.name().toString();
            if (RUN.matcher(name).matches() && vfs.attributes(entry.ino()).isDirectory()) {
                found.addAll(of(name, entry.ino()));
            }
        }
        return found;
    }

    private List<Checkpoint> of(String run, long directory) throws IOException {
        String latest = latest(directory);
        var found = new ArrayList<Checkpoint>();
        for (var entry : tree.entries(directory)) {
            var name = STEP.matcher(entry.name().toString());
            if (name.matches()) {
                found.add(look(run, Long.parseLong(name.group(1)), entry.ino(),
                        entry.name().toString().equals(latest)));
            }
        }
        return found;
    }

    private String latest(long runs) throws IOException {
        try {
            var link = tree.find(runs, LATEST);
            return link.isEmpty() ? "" : new String(vfs.readSymlink(link.get().ino()), StandardCharsets.UTF_8);
        } catch (FsException replacedMeanwhile) {
            return "";
        }
    }

    private Checkpoint look(String run, long step, long directory, boolean latest) throws IOException {
        var marks = vfs.extendedAttributeNames(directory);
        boolean pinned = marks.stream().anyMatch(name -> Arrays.equals(name, PIN));
        try {
            var file = tree.find(directory, Manifest.NAME);
            if (file.isEmpty()) {
                return new Checkpoint(run, step, Optional.empty(), "no manifest", pinned, latest);
            }
            var manifest = Manifest.of(tree.read(file.get()));
            var trouble = contents.sizes(directory, manifest);
            if (trouble.isEmpty() && marks.stream().anyMatch(name -> Arrays.equals(name, DAMAGED))) {
                var found = new String(vfs.extendedAttribute(directory, DAMAGED), StandardCharsets.UTF_8);
                return new Checkpoint(run, step, Optional.of(manifest), found, true, pinned, latest);
            }
            return new Checkpoint(run, step, Optional.of(manifest), trouble, pinned, latest);
        } catch (IOException unreadable) {
            return new Checkpoint(run, step, Optional.empty(), "cannot read its manifest: " + unreadable.getMessage(),
                    pinned, latest);
        }
    }

    /** A checkpoint by step; without one, what {@code latest} refers to, or the newest valid one if that is invalid. */
    public Checkpoint find(String run, OptionalLong step) throws IOException {
        var found = step.isPresent() ? step(checkRun(run), Checkpoint.directory(step.getAsLong()))
                : latest(checkRun(run));
        if (found.isPresent()) {
            return found.get();
        }
        if (isEmpty(run)) {
            throw new Refusal(Reason.NOT_FOUND, "volume '%s' has no checkpoint of run '%s'".formatted(volume, run),
                    "volsh checkpoint list " + volume);
        }
        String hint = "volsh checkpoint list %s --run %s".formatted(volume, run);
        throw step.isPresent() ? new Refusal(Reason.NOT_FOUND,
                "run '%s' has no checkpoint of step %d".formatted(run, step.getAsLong()), hint)
                : new Refusal(Reason.DAMAGED, "run '%s' has no valid checkpoint".formatted(run), hint);
    }

    /** The checkpoint to resume from: {@code latest}, or the newest valid one if that is invalid; empty if none is. */
    public Optional<Checkpoint> latest(String run) throws IOException {
        var runs = directory(run);
        if (runs.isEmpty()) {
            return Optional.empty();
        }
        var led = step(run, latest(runs.get().ino())).filter(Checkpoint::valid);
        return led.isPresent() ? led : newest(of(run, runs.get().ino()));
    }

    /** What {@code latest} refers to, valid or not. */
    public Optional<Checkpoint> lastSaved(String run) throws IOException {
        var runs = directory(run);
        return runs.isEmpty() ? Optional.empty() : step(run, latest(runs.get().ino()));
    }

    /** Reads just one: a run may have thousands of others. */
    private Optional<Checkpoint> step(String run, String name) throws IOException {
        var runs = directory(run);
        var step = STEP.matcher(name);
        var there = runs.isEmpty() || !step.matches() ? Optional.<Attributes>empty()
                : tree.find(runs.get().ino(), name);
        return there.isEmpty() ? Optional.empty()
                : Optional.of(look(run, Long.parseLong(step.group(1)), there.get().ino(),
                        name.equals(latest(runs.get().ino()))));
    }

    private Optional<Attributes> directory(String run) throws IOException {
        return tree.find(Vfs.ROOT, run).filter(Attributes::isDirectory);
    }

    private boolean isEmpty(String run) throws IOException {
        var runs = directory(run);
        return runs.isEmpty() || tree.entries(runs.get().ino()).stream()
                .noneMatch(entry -> STEP.matcher(entry.name().toString()).matches());
    }

    private static Optional<Checkpoint> newest(List<Checkpoint> all) {
        return all.stream().filter(Checkpoint::valid).max(Checkpoint.BY_AGE);
    }

    /** Reads and compares all of it; returns the files that differ, none if it is as saved. */
    public List<String> verify(Checkpoint checkpoint) throws IOException {
        return inspect(checkpoint).wrong();
    }

    /** Reads and compares all of it, and checks tensor files. */
    public Verification inspect(Checkpoint checkpoint) throws IOException {
        return checkpoint.whole() ? contents.verify(directory(checkpoint), checkpoint.manifest().orElseThrow())
                : new Verification(List.of(checkpoint.trouble()), 0, 0, 0, 0, List.of());
    }

    /** Whether {@link #remember} would change the recorded state. */
    public static boolean isNews(Checkpoint checkpoint, Verification found) {
        return checkpoint.whole() && (checkpoint.verified() ? found.good() : found.damaged());
    }

    /** Records whether {@link #inspect} found the checkpoint damaged. The record is part of the checkpoint. */
    public void remember(Checkpoint checkpoint, Verification found) throws IOException {
        long directory = directory(checkpoint);
        if (found.good()) {
            vfs.removeExtendedAttribute(directory, DAMAGED);
        } else {
            var text = "verify found damage at %s: %s".formatted(clock.instant(), String.join(", ", found.wrong()));
            var told = text.length() > DAMAGE_TOLD ? text.substring(0, DAMAGE_TOLD) + " ..." : text;
            vfs.setExtendedAttribute(directory, DAMAGED, told.getBytes(StandardCharsets.UTF_8), true, true);
        }
        vfs.sync();
    }

    /** The differences in files and tensors of two checkpoints, of any runs. */
    public List<CheckpointDifference> diff(Checkpoint before, Checkpoint after) throws IOException {
        return new Diff(vfs, observer).run(side(before), side(after));
    }

    private Diff.Side side(Checkpoint checkpoint) throws IOException {
        requireWhole(checkpoint);
        return new Diff.Side(checkpoint.manifest().orElseThrow(), contents.files(directory(checkpoint)));
    }

    private long directory(Checkpoint checkpoint) throws IOException {
        return vfs.lookup(vfs.lookup(Vfs.ROOT, Name.of(checkpoint.run())).ino(),
                Name.of(Checkpoint.directory(checkpoint.step()))).ino();
    }

    /** Refuses an incomplete checkpoint. One that verify found damaged may have been repaired since. */
    private static void requireWhole(Checkpoint checkpoint) throws IOException {
        if (!checkpoint.whole()) {
            requireValid(checkpoint);
        }
    }

    private static void requireValid(Checkpoint checkpoint) throws IOException {
        if (!checkpoint.valid()) {
            throw new Refusal(Reason.DAMAGED, "step %d of run '%s' is not valid: %s"
                    .formatted(checkpoint.step(), checkpoint.run(), checkpoint.trouble()));
        }
    }

    /** Copies it to a local directory, which appears complete or not at all, comparing every file with the manifest. */
    public void restore(Checkpoint checkpoint, Path target, boolean replace) throws IOException {
        restore(checkpoint, OptionalInt.empty(), target, replace);
    }

    /** Like the other {@code restore}, for one rank's shard alone. The next restore continues an interrupted one. */
    public void restore(Checkpoint checkpoint, OptionalInt rank, Path target, boolean replace) throws IOException {
        requireWhole(checkpoint);
        var part = part(checkpoint, rank);
        new Restoring(vfs, parallel, observer).run(checkpoint, part.directory(), part.files(), target, replace);
    }

    /** Makes a directory of the volume a copy that shares all blocks: only names are written, and no bytes are read. */
    public void restoreClone(Checkpoint checkpoint, OptionalInt rank, String path, boolean replace) throws IOException {
        requireValid(checkpoint);
        new Cloning(vfs, owner, parallel, observer).restore(part(checkpoint, rank).directory(), path, replace);
    }

    /** A directory and its entries in the manifest. */
    private record Part(Attributes directory, List<Manifest.Entry> files) {}

    private Part part(Checkpoint checkpoint, OptionalInt rank) throws IOException {
        long directory = directory(checkpoint);
        var files = checkpoint.manifest().orElseThrow().files();
        if (rank.isEmpty()) {
            return new Part(vfs.attributes(directory), files);
        }
        String shard = Barrier.Party.shard(rank.getAsInt());
        var found = tree.find(directory, shard);
        if (found.isEmpty() || rank.getAsInt() >= checkpoint.manifest().get().world()) {
            throw new Refusal(Reason.NOT_FOUND, "step %d of run '%s' has no shard of rank %d".formatted(
                    checkpoint.step(), checkpoint.run(), rank.getAsInt()), "volsh checkpoint show %s --run %s --step %d"
                    .formatted(volume, checkpoint.run(), checkpoint.step()));
        }
        return new Part(found.get(), files.stream().filter(file -> file.path().startsWith(shard + "/"))
                .map(file -> file.within(shard)).toList());
    }

    /** Pins or unpins: a pinned checkpoint is neither pruned nor destroyed. */
    public void pin(Checkpoint checkpoint, boolean pinned) throws IOException {
        long directory = directory(checkpoint);
        if (pinned) {
            vfs.setExtendedAttribute(directory, PIN, clock.instant().toString().getBytes(StandardCharsets.US_ASCII),
                    true, true);
        } else if (checkpoint.pinned()) {
            vfs.removeExtendedAttribute(directory, PIN);
        }
        vfs.sync();
    }

    /** The checkpoints of a run that a policy does not keep, oldest first. */
    public List<Checkpoint> spare(String run, Retention retention) throws IOException {
        return retention.spare(list(Optional.of(checkRun(run))));
    }

    /** The checkpoints of a run that stay, ordered by step, and why. */
    public Map<Checkpoint, List<String>> reasons(String run, Retention retention) throws IOException {
        return retention.reasons(list(Optional.of(checkRun(run))));
    }

    /** The metrics that rules name but no checkpoint of the run has. */
    public Set<String> unknownMetrics(String run, Retention retention) throws IOException {
        return retention.unknownMetrics(list(Optional.of(checkRun(run))));
    }

    /** The runs that have checkpoints, in order. */
    public SortedSet<String> runs() throws IOException {
        var runs = new TreeSet<String>();
        for (var entry : tree.entries(Vfs.ROOT)) {
            String name = entry.name().toString();
            if (RUN.matcher(name).matches() && vfs.attributes(entry.ino()).isDirectory()
                    && tree.entries(entry.ino()).stream()
                    .anyMatch(below -> STEP.matcher(below.name().toString()).matches())) {
                runs.add(name);
            }
        }
        return runs;
    }

    /** Like {@link #spare}, but ignoring pins: what may leave a fast store. */
    public List<Checkpoint> beyond(String run, Retention retention) throws IOException {
        return retention.beyond(list(Optional.of(checkRun(run))));
    }

    /** Removes its name atomically, then its files. @throws Refusal BUSY if it is pinned */
    public void destroy(Checkpoint checkpoint) throws IOException {
        if (checkpoint.pinned()) {
            throw new Refusal(Reason.BUSY, "step %d of run '%s' is pinned"
                    .formatted(checkpoint.step(), checkpoint.run()), "volsh checkpoint unpin %s --run %s --step %d"
                    .formatted(volume, checkpoint.run(), checkpoint.step()));
        }
        long runs = vfs.lookup(Vfs.ROOT, Name.of(checkpoint.run())).ino();
        pointElsewhere(runs, checkpoint);
        long place = workplace.directory();
        var gone = Name.of(Workplace.fresh());
        vfs.rename(runs, Name.of(Checkpoint.directory(checkpoint.step())), place, gone, RenameMode.NO_REPLACE);
        pointElsewhere(runs, checkpoint);       // it may have been pointed here meanwhile
        vfs.sync();
        workplace.remove(place, gone, observer);
        vfs.sync();
    }

    /** Points {@code latest} to the newest other checkpoint if it currently refers to this one. */
    private void pointElsewhere(long runs, Checkpoint going) throws IOException {
        if (!latest(runs).equals(Checkpoint.directory(going.step()))) {
            return;
        }
        var rest = list(Optional.of(going.run())).stream().filter(one -> one.step() != going.step()).toList();
        var next = newest(rest);
        if (next.isPresent()) {
            point(runs, next.get().step());
        } else {
            vfs.unlink(runs, Name.of(LATEST));
        }
    }
}
