package volsh.volume;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import volsh.block.BlockStore;
import volsh.block.StoreUrl;
import volsh.meta.MetaEngine;
import volsh.meta.Superblock;
import volsh.meta.Ticks;
import volsh.ship.RecordingEngine;
import volsh.upkeep.Check;
import volsh.upkeep.CheckOptions;
import volsh.upkeep.Dump;
import volsh.upkeep.DumpHeader;
import volsh.upkeep.Load;
import volsh.upkeep.Watcher;
import volsh.volume.Refusal.Reason;

/** A volume written down as text, and made of it again: with blocks of its own, so that the two have nothing in common. */
final class Transcript {
    private final VolumeParts parts;
    private final Assembly assembly;
    private final InstantSource clock;

    Transcript(VolumeParts parts, Assembly assembly, InstantSource clock) {
        this.parts = parts;
        this.assembly = assembly;
        this.clock = clock;
    }

    /** As of one moment; others may use it meanwhile. */
    Dump.Summary dump(VolumeSpec spec, OutputStream out, Watcher watcher) throws IOException {
        try (var engine = parts.openMetadata(spec)) {
            engine.refresh();
            return dump(spec, engine, out, watcher);
        }
    }

    Dump.Summary dump(VolumeSpec spec, MetaEngine engine, OutputStream out, Watcher watcher) throws IOException {
        byte[] record = new Superblock(engine, clock).setting(Volumes.SPEC).orElseThrow(() -> new Refusal(Reason.DAMAGED,
                "the metadata of volume '%s' has no volume record".formatted(spec.name())));
        return new Dump(engine, new Ticks(engine, clock), parts.directory(spec))
                .run(new String(record, StandardCharsets.UTF_8), parts.storeUrl(spec).toString(), out, watcher);
    }

    /** What the dump is of. @throws Refusal INVALID if its first line is not one */
    static VolumeSpec origin(DumpHeader header) throws Refusal {
        try {
            StoreUrl.of(header.storeUrl());
            return Records.volume(header.record().getBytes(StandardCharsets.UTF_8));
        } catch (IOException | RuntimeException nonsense) {
            throw new Refusal(Reason.INVALID, "line 1: the dump is of no volume: " + nonsense.getMessage(), nonsense);
        }
    }

    /** The volume that would be made of it. */
    VolumeSpec design(VolumeSpec origin, VolumeDraft draft, StoreEntry store) {
        var id = UUID.randomUUID();
        return new VolumeSpec(draft.name(), id, store.name(), draft.name() + "-" + id.toString().substring(0, 8), origin.blockSize(),
                draft.compression().orElse(origin.compression()), origin.inline(), origin.profile(), origin.labels(),
                clock.instant().truncatedTo(ChronoUnit.MILLIS),
                draft.shipsMetadata().orElse(store.url().scheme() == StoreUrl.Scheme.S3 && draft.database().isEmpty()));
    }

    /** Fills a new volume. What cannot be read, or does not fit together, is refused, and nothing is left of it. */
    Load.Summary fill(VolumeSpec origin, VolumeSpec spec, Load.Source source, RecordingEngine engine, BlockStore store, Watcher watcher)
            throws IOException {
        var directory = parts.directory(spec);
        try (var from = assembly.store(StoreUrl.of(source.header().storeUrl()), origin.prefix());
                var copy = new BlockCopy(origin.id(), from, spec.id(), store, spec.compression())) {
            watcher.phase("rows", -1);
            var made = new Load(engine, directory, copy, watcher).run(source);
            new Superblock(engine, clock).set(Volumes.SPEC, Records.toBytes(spec));
            requireSound(new Check(engine, store, spec.id(), directory, OptionalLong.empty()), watcher);
            return made;
        }
    }

    static void requireSound(Check check, Watcher watcher) throws IOException {
        var wrong = check.run(CheckOptions.QUICK, watcher).problems().stream().findFirst();
        if (wrong.isPresent()) {
            throw new Refusal(Reason.DAMAGED, "the dump describes no volume: %s: %s (%s)".formatted(
                    wrong.get().finding().subject(), wrong.get().damage().meaning(), wrong.get().finding().detail()));
        }
    }

    /** Where the new volume is to be, if nobody says: where the old one was, if that place has a name here. */
    static Optional<String> sameStore(Stores stores, VolumeSpec origin, DumpHeader header) throws IOException {
        return stores.names().contains(origin.store()) && stores.find(origin.store()).url().toString().equals(header.storeUrl())
                ? Optional.of(origin.store()) : Optional.empty();
    }
}
