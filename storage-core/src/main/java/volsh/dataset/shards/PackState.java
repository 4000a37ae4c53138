package volsh.dataset.shards;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.catalog.Refusal;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.SampleTable;
import volsh.json.Json;
import volsh.proc.KernelFile;

/**
 * What a target directory knows of an unfinished pack: which source and settings, by their digest, and a record of each
 * finished shard. In a directory of working files that the finished pack removes.
 */
final class PackState {
    static final String DATASET = "dataset.json";
    private static final String STATE = DatasetDirectory.WORK + "/state.json";
    private static final int SIZE_MAX = 64 << 20;

    private final DatasetDirectory target;
    private final String digest;
    private boolean restarted;   // the machine, since this pack began

    PackState(DatasetDirectory target, SampleTable table, PackSettings settings) throws IOException {
        this.target = target;
        this.digest = digest(table, settings);
    }

    private static String digest(SampleTable table, PackSettings settings) throws IOException {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(settings.identity().getBytes(StandardCharsets.UTF_8));
            table.digest(digest);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException(never);
        }
    }

    String digest() {
        return digest;
    }

    static String recordName(String shard) {
        return DatasetDirectory.WORK + "/" + shard.replace('/', '_') + ".json";
    }

    /** Whether this very pack is complete already. */
    boolean isComplete() throws IOException {
        return target.size(DATASET).isPresent() && digest.equals(textIn(DATASET, "digest"));
    }

    /** A text of a small file; empty if the file is damaged, as after a power failure. */
    private String textIn(String name, String field) {
        try {
            return Json.read(target.content(name, SIZE_MAX)).text(field);
        } catch (IOException unreadable) {
            return "";
        }
    }

    /**
     * Begins, or goes on where the same pack stopped.
     *
     * @throws Refusal CONFLICT if the directory holds another dataset, or an unfinished pack of another source
     */
    void begin(List<String> shards, boolean replace) throws IOException {
        target.makeDirectories();
        boolean begun = target.size(STATE).isPresent();
        if (begun && digest.equals(textIn(STATE, "digest"))) {
            restarted = !target.isDurable() && !textIn(STATE, "boot").equals(boot());
            return;
        }
        if (!replace) {
            requireFree(begun, shards);
        }
        clear();
        target.delete(DATASET);
        for (var shard : shards) {
            target.delete(shard);
        }
        target.write(STATE, Json.write(Map.of("digest", digest, "boot", boot())));
    }

    private void requireFree(boolean begun, List<String> shards) throws IOException {
        if (begun) {
            throw new Refusal(Refusal.Reason.CONFLICT, target.shown("") + ": holds an unfinished pack of another source"
                    + " or with other options, or the source has changed since",
                    "to pack again from the beginning, add --force");
        }
        boolean taken = target.size(DATASET).isPresent();
        for (var shard : shards) {
            if (taken || target.size(shard).isPresent()) {
                throw new Refusal(Refusal.Reason.CONFLICT, "%s: exists already"
                        .formatted(target.shown(taken ? DATASET : shard)),
                        "to replace the dataset there, add --force");
            }
        }
    }

    /** Until the pack is complete, shards are not synced: after a restart of the machine they may lack bytes. */
    private static String boot() throws IOException {
        return KernelFile.line(Path.of("/proc/sys/kernel/random/boot_id"));
    }

    /** The record of a shard, if it is finished. */
    Optional<ShardRecord> finished(String shard) throws IOException {
        if (target.size(shard).isEmpty() || target.size(recordName(shard)).isEmpty()) {
            return Optional.empty();
        }
        ShardRecord record;
        try {
            record = ShardRecord.of(Json.read(target.content(recordName(shard), SIZE_MAX)));
        } catch (IOException damaged) {
            return Optional.empty();
        }
        boolean whole = target.size(shard).getAsLong() == record.bytes() && (!restarted || isWhole(record));
        return whole ? Optional.of(record) : Optional.empty();
    }

    private boolean isWhole(ShardRecord record) throws IOException {
        try (var file = target.open(record.name())) {
            return "%08x".formatted(ShardCheck.sum(file, 0, record.bytes(), () -> {})).equals(record.crc32c());
        }
    }

    /** Writes {@code dataset.json}, after which the pack is complete. */
    void complete(PackSettings settings, SampleTable table, List<ShardRecord> records) throws IOException {
        var json = new LinkedHashMap<String, Object>();
        json.put("format", settings.format().name().toLowerCase(java.util.Locale.ROOT));
        json.put("samples", records.stream().mapToLong(ShardRecord::samples).sum());
        json.put("bytes", records.stream().mapToLong(ShardRecord::bytes).sum());
        json.put("classes", (long) table.classes().numbers().size());
        json.put("shuffled", settings.shuffle());
        json.put("seed", settings.seed());
        json.put("digest", digest);
        json.put("shards", records.stream().map(record -> record.json(false)).toList());
        target.sync(records.stream().map(ShardRecord::name).toList());
        target.write(DATASET, Json.write(json));
        target.sync(List.of(DATASET));
        clear();
    }

    /** Removes the working files. */
    private void clear() throws IOException {
        for (var name : target.names(DatasetDirectory.WORK)) {
            target.delete(DatasetDirectory.WORK + "/" + name);
        }
        target.delete(DatasetDirectory.WORK);
    }
}
