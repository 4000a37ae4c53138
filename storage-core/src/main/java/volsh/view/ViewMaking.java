package volsh.view;

import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import volsh.dataset.BadSamples;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.shards.PackObserver;
import volsh.dataset.shards.PackPlan;
import volsh.dataset.SampleTable;
import volsh.dataset.shards.ShardIndex;
import volsh.dataset.SourceField;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.json.Json;
import volsh.shard.Field;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;
import volsh.shard.UnfitSampleException;
import volsh.shard.format.TarLayout;
import volsh.vfs.Composition;
import volsh.vfs.Paths;
import volsh.vfs.Vfs;

/**
 * Makes the shards of a view: tar archives of samples, byte for byte what {@code shard pack} would write, without
 * storing the samples again. Each shard appears whole; {@code view.json} comes last.
 */
public final class ViewMaking {
    private static final int MODE = 0644;
    private static final String CLASSES = "classes.json";

    private final Vfs source;
    private final DatasetDirectory sourceDirectory;
    private final SampleTable table;
    private final PackPlan plan;
    private final PackObserver observer;
    private final BadSamples bad;
    private long own;
    private long stored;

    /**
     * Shows the samples of the table, which are files of {@code source}: the volume now, or in the past. Samples that
     * do not fit an archive go to {@code bad}.
     */
    public ViewMaking(Vfs source, DatasetDirectory sourceDirectory, SampleTable table, PackPlan plan,
            PackObserver observer, BadSamples bad) {
        this.source = source;
        this.sourceDirectory = sourceDirectory;
        this.table = table;
        this.plan = plan;
        this.observer = observer;
        this.bad = bad;
    }

    /** A digest of the names, sizes, times and classes of the files of some samples. */
    public static String digest(SampleTable table) throws IOException {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            table.digest(digest);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    /** Makes the view in a directory of the volume at {@code path}; {@code shown} is what it says it shows. */
    public ShardView run(Vfs target, DatasetDirectory directory, String path, Owner owner, String shown, Instant now)
            throws IOException {
        directory.makeDirectories();
        long ino = new Paths(target).resolve(path).ino();
        var shards = new ArrayList<ShardView.Shard>();
        for (var planned : plan.shards()) {
            try (var file = new Composition(target, ino, MODE, owner)) {
                shards.add(make(file, planned, directory));
            }
        }
        if (!table.classes().numbers().isEmpty()) {
            directory.write(CLASSES, Json.write(table.classes().numbers()));
        }
        var view = new ShardView(shown, now, table.layout().meaning(),
                shards.stream().mapToLong(ShardView.Shard::samples).sum(), digest(table), own, stored, shards);
        directory.write(ShardView.FILE, view.json());
        directory.sync(List.of());
        return view;
    }

    private ShardView.Shard make(Composition file, PackPlan.PlannedShard planned, DatasetDirectory directory)
            throws IOException {
        var entries = new ArrayList<ShardIndex.Entry>();
        for (int i = planned.from(); i < planned.to(); i++) {
            observer.check();
            var sample = table.sample(plan.sequence()[i]);
            try {
                TarLayout.requireFit(sample);
            } catch (UnfitSampleException unfit) {
                bad.add(sample.key(), String.valueOf(unfit.getMessage()));
                continue;
            }
            entries.add(new ShardIndex.Entry(add(file, sample), Optional.empty()));
            observer.packed(table.size(plan.sequence()[i]));
        }
        file.append(new byte[TarLayout.END]);
        directory.write(ShardIndex.name(planned.name()), new ShardIndex(entries).text());
        file.place(Name.of(planned.name()));
        own += file.ownBytes();
        stored += file.storedBytes();
        return new ShardView.Shard(planned.name(), entries.size(), file.length());
    }

    private SamplePosition add(Composition file, Sample sample) throws IOException {
        long start = file.length();
        List<FieldPosition> fields = new ArrayList<>();
        for (var field : sample.fields()) {
            file.append(TarLayout.header(sample.key() + "." + field.name(), field.size()));
            fields.add(new FieldPosition(field.name(), file.length(), field.size()));
            append(file, field);
            file.append(new byte[TarLayout.padding(field.size())]);
        }
        return new SamplePosition(sample.key(), start, file.length() - start, fields);
    }

    private void append(Composition file, Field field) throws IOException {
        if (!(field instanceof SourceField found)) {
            try (var in = field.open()) {
                file.append(in.readAllBytes());
            }
            return;
        }
        try {
            file.append(source, found.handle(), found.size());
        } catch (IOException failed) {
            throw new IOException("%s: %s".formatted(sourceDirectory.shown(found.path()), failed.getMessage()), failed);
        }
    }
}
