package volsh.command.volume;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.HistorySpan;
import volsh.catalog.KeySource;
import volsh.catalog.Profile;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeDraft;
import volsh.codec.Compression;
import volsh.command.failure.CommandFailure;
import volsh.command.place.LayoutOptions;
import volsh.engine.postgres.PostgresUrl;
import volsh.fs.ShellWord;
import volsh.place.Layout;
import volsh.place.LayoutPolicy;
import volsh.unit.ByteSize;

/**
 * The options of a new volume. Names with capitals are those of flexFS, accepted so that its scripts keep working.
 */
final class DraftOptions {
    @Parameters(paramLabel = "NAME", description = "Name: 1 to 63 lower case letters, digits and dashes.")
    private String name;

    @Option(names = {"--store", "--blockStoreID"}, paramLabel = "STORE",
            description = "Keep blocks in this store of 'volsh store list', or in several, separated by commas"
                    + " (default: a directory in volsh's home).")
    private @Nullable String store;

    @Mixin
    private LayoutOptions layout;

    @Option(names = "--profile", paramLabel = "PROFILE",
            description = "Choose settings for a kind of data: general (default), images, video, shards, checkpoints"
                    + " or logs.")
    private @Nullable Profile profile;

    @Option(names = {"--block-size", "--blockSize"}, paramLabel = "SIZE",
            description =
                    "Limit object sizes, permanently: a power of two from 64KiB to 16MiB (default: the profile's).")
    private @Nullable ByteSize blockSize;

    @Option(names = "--compression", paramLabel = "CODEC",
            description = "Compress new data with none, lz4, zstd[:LEVEL] or, for weights, planes[:LEVEL] (default:"
                    + " the profile's).")
    private @Nullable Compression compression;

    @Option(names = "--inline", paramLabel = "SIZE",
            description =
                    "Store files up to this size, at most 64KiB, beside their metadata (default: the profile's).")
    private @Nullable ByteSize inline;

    @Option(names = "--ship-metadata", paramLabel = "on|off",
            description = "Also keep metadata in the store, so that another machine can attach the volume if this one"
                    + " is lost (default: on for s3:// stores).")
    private @Nullable Switch shipping;

    @Option(names = "--meta", paramLabel = "URL",
            description = "Keep metadata here: postgres://user@host/database, for volumes that several machines use at"
                    + " once; the password comes from ~/.pgpass or PGPASSWORD (default: on this machine).")
    private @Nullable PostgresUrl meta;

    @Option(names = "--retention", paramLabel = "TIME",
            description = "Keep changed and deleted data readable with --at for this long, such as 30d; 0 keeps"
                    + " nothing, -1 everything (default: 0). Snapshots are kept in any case.")
    private @Nullable HistorySpan retention;

    @Option(names = "--encrypt", paramLabel = "KEYSOURCE",
            description = "Encrypt the bytes of files, permanently, with a new key that opens with key-file:PATH (at"
                    + " least 32 random bytes), passphrase, env:NAME or command:LINE. Metadata, such as names, stays"
                    + " readable.")
    private @Nullable KeySource encrypt;

    @Option(names = "--label", paramLabel = "KEY=VALUE", description = "Set a label; may be repeated.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--explain", description = "Show every setting with its value, its origin and the reason.")
    private boolean explain;

    VolumeDraft draft() {
        if (store != null) {
            requireName(store);
        }
        var draft = new VolumeDraft(name, Optional.ofNullable(store).map(names -> names.split(",", -1)[0]),
                Optional.ofNullable(profile), Optional.ofNullable(blockSize),
                Optional.ofNullable(compression), Optional.ofNullable(inline), labels,
                Optional.ofNullable(shipping).map(Switch::isOn), Optional.empty());
        draft = meta == null ? draft : draft.withDatabase(meta);
        draft = retention == null ? draft : draft.withRetention(retention);
        draft = encrypt == null ? draft : draft.encrypted(encrypt);
        return spread(draft);
    }

    /** The layout over several stores: striped by default. */
    private VolumeDraft spread(VolumeDraft draft) {
        var stores = store == null ? List.of(VolumeDraft.STANDARD_STORE) : Arrays.asList(store.split(",", -1));
        var policy = layout.policy();
        if (stores.size() == 1 && policy.isEmpty()) {
            return layout.size().isPresent() ? sized(draft, layout.size().get()) : draft;
        }
        var size = layout.size();
        var whole = policy.map(LayoutPolicy::withoutSize)
                .orElse(LayoutPolicy.of(new Layout.Striped(Layout.Striped.ALL)));
        var spread = draft.withSpread(StoreLayout.of(stores, whole));
        return size.isPresent() ? sized(spread, size.get()) : spread;
    }

    /** The stripe size of a volume is its block size. */
    private VolumeDraft sized(VolumeDraft draft, ByteSize size) {
        if (blockSize != null && !blockSize.equals(size)) {
            throw CommandFailure.usage(
                    "--stripe-size and --block-size exclude each other: the stripe size of a volume is its block size");
        }
        return draft.withBlockSize(size);
    }

    private static void requireName(String store) {
        if (store.contains("/")) {
            String url = store.contains("://") ? store : "file:///path";
            throw CommandFailure.usage("--store takes the name of a store, not a URL: '" + store + "'")
                    .hint("volsh store add lake " + ShellWord.of(url)).hint("volsh volume create data --store lake");
        }
    }

    /** How long history is kept; null if the option is absent. */
    @Nullable HistorySpan retention() {
        return retention;
    }

    boolean explain() {
        return explain;
    }
}
