package volsh.maintain;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import volsh.assembly.Assembly;
import volsh.assembly.DumpedStores;
import volsh.assembly.Stores;
import volsh.assembly.VolumeParts;
import volsh.block.BlockStore;
import volsh.block.StoreUrl;
import volsh.catalog.DefaultStore;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.StoreEntry;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.engine.MetaEngine;
import volsh.inventory.Superblock;
import volsh.meta.Ticks;
import volsh.pack.BlockCopy;
import volsh.place.Layout;
import volsh.place.LayoutPolicy;
import volsh.ship.RecordingEngine;
import volsh.upkeep.Watcher;
import volsh.upkeep.check.Check;
import volsh.upkeep.check.CheckOptions;
import volsh.upkeep.dump.Dump;
import volsh.upkeep.dump.DumpHeader;
import volsh.upkeep.dump.DumpLoader;

/**
 * Dumps a volume as text, and loads a volume from a dump: with its own copies of blocks, so that the two share nothing.
 */
public final class DumpAndLoad {
    private static final LayoutPolicy STRIPED = LayoutPolicy.of(new Layout.Striped(Layout.Striped.ALL));

    private final VolumeParts parts;
    private final Assembly assembly;
    private final InstantSource clock;

    public DumpAndLoad(VolumeParts parts, Assembly assembly, InstantSource clock) {
        this.parts = parts;
        this.assembly = assembly;
        this.clock = clock;
    }

    /** As of one moment; others may use it meanwhile. */
    public Dump.Summary dump(VolumeSpec spec, OutputStream out, Watcher watcher) throws IOException {
        try (var engine = parts.openMetadata(spec)) {
            engine.refresh();
            return dump(spec, engine, out, watcher);
        }
    }

    Dump.Summary dump(VolumeSpec spec, MetaEngine engine, OutputStream out, Watcher watcher) throws IOException {
        byte[] record = new Superblock(engine, clock).setting(Records.SPEC).orElseThrow(() ->
                new Refusal(Reason.DAMAGED, "the metadata of volume '%s' has no volume record".formatted(spec.name())));
        return new Dump(engine, new Ticks(engine, clock), parts.directory(spec))
                .run(new String(record, StandardCharsets.UTF_8), urls(spec), out, watcher);
    }

    private List<String> urls(VolumeSpec spec) throws IOException {
        var urls = new ArrayList<String>();
        for (var name : spec.spread().isNone() ? List.of(spec.store()) : spec.spread().stores()) {
            urls.add(name.equals(StoreLayout.VACANT) ? name : parts.store(name).url().toString());
        }
        return urls;
    }

    /** What the dump is of. @throws Refusal INVALID if its first line is not one */
    public static VolumeSpec origin(DumpHeader header) throws Refusal {
        try {
            var origin = Records.volume(header.record().getBytes(StandardCharsets.UTF_8));
            for (var url : header.storeUrls()) {
                if (!url.equals(StoreLayout.VACANT)) {
                    StoreUrl.of(url);
                }
            }
            if (header.storeUrls().size() != Math.max(1, origin.spread().stores().size())) {
                throw new IOException("it has %d stores and names %d".formatted(origin.stores().size(),
                        header.storeUrls().size()));
            }
            return origin;
        } catch (IOException | RuntimeException nonsense) {
            throw new Refusal(Reason.INVALID, "line 1: not a dump of a volume: " + nonsense.getMessage(), nonsense);
        }
    }

    /** The volume that would be made of it. */
    public VolumeSpec design(VolumeSpec origin, VolumeDraft draft, StoreEntry store) throws Refusal {
        if (origin.encryption().isOn() || draft.key().isPresent()) {
            throw new Refusal(Reason.INVALID, "cannot load a dump of or into an encrypted volume",
                    "copy the files: volsh volume create %1$s --encrypt passphrase && volsh cp -r %2$s:/ %1$s:/"
                            .formatted(draft.name(), origin.name()));
        }
        var id = UUID.randomUUID();
        var made = new VolumeSpec(draft.name(), id, store.name(), draft.name() + "-" + id.toString().substring(0, 8),
                origin.blockSize(), draft.compression().orElse(origin.compression()), origin.inline(), origin.profile(),
                origin.labels(), clock.instant().truncatedTo(ChronoUnit.MILLIS), draft.shipsMetadata().orElse(
                store.url().scheme() == StoreUrl.Scheme.S3 && draft.database().isEmpty()), draft.spread());
        return origin.hasImports() ? made.withImports() : made;
    }

    /**
     * Fills a new volume, whose stores are claimed. What cannot be read, or does not fit together, is refused, and
     * nothing is left of it.
     */
    public DumpLoader.Summary fill(VolumeSpec origin, VolumeSpec spec, DumpLoader.Source source, RecordingEngine engine,
            Watcher watcher) throws IOException {
        var directory = parts.directory(spec);
        try (var from = open(origin, source.header(), engine); var contents = StoredContents.of(spec, parts, engine,
                StoredContents.Over.NOTHING);
                var copy = new BlockCopy(origin.id(), from, parts.keys().of(origin), spec.id(), contents.store(),
                        parts.keys().of(spec), spec.compression())) {
            watcher.phase("rows", -1);
            var made = new DumpLoader(engine, directory, copy, watcher).run(source);
            new Superblock(engine, clock).set(Records.SPEC, Records.toBytes(spec));
            requireSound(new Check(engine, contents.stored(), spec.id(), directory, OptionalLong.empty()), watcher);
            return made;
        }
    }

    private BlockStore open(VolumeSpec origin, DumpHeader header, MetaEngine loaded) throws IOException {
        return origin.spread().isNone() ? assembly.part(StoreUrl.of(header.storeUrls().getFirst()), origin.prefix())
                : new DumpedStores(origin, header.storeUrls(), assembly, loaded).open();
    }

    /** What a store lacks at the moment is no fault of the dump. */
    static void requireSound(Check check, Watcher watcher) throws IOException {
        var wrong = check.run(CheckOptions.QUICK, watcher).problems().stream()
                .filter(problem -> !problem.damage().isOfParts() && !problem.damage().isHarmless()).findFirst();
        if (wrong.isPresent()) {
            throw new Refusal(Reason.DAMAGED, "the dump describes no volume: %s: %s (%s)".formatted(
                    wrong.get().finding().subject(), wrong.get().damage().meaning(), wrong.get().finding().detail()));
        }
    }

    /** Where the new volume goes by default: where the old one was, if those stores have the same names here. */
    public static VolumeDraft placed(VolumeDraft draft, Stores stores, VolumeSpec origin, DumpHeader header)
            throws IOException {
        if (!draft.spread().isNone()) {
            return draft.withSpread(
                    draft.spread().with(draft.spread().policy().or(origin.spread()::policy).orElse(STRIPED)));
        }
        if (draft.store().isPresent()) {
            return draft;
        }
        var names = origin.spread().isNone() ? List.of(origin.store()) : origin.spread().stores();
        for (int i = 0; i < names.size(); i++) {
            boolean same = names.get(i).equals(StoreLayout.VACANT) || stores.names().contains(names.get(i))
                    && stores.find(names.get(i)).url().toString().equals(header.storeUrls().get(i));
            if (!same) {
                return draft.withStore(DefaultStore.NAME);
            }
        }
        return origin.spread().isNone() ? draft.withStore(origin.store()) : draft.withSpread(origin.spread().afresh());
    }
}
