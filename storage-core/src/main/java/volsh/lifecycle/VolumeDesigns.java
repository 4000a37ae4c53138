package volsh.lifecycle;

import java.io.IOException;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Optional;
import java.util.UUID;
import volsh.assembly.Stores;
import volsh.assembly.VolumeParts;
import volsh.block.StoreUrl;
import volsh.catalog.DefaultStore;
import volsh.catalog.Profile;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.engine.postgres.PostgresUrl;
import volsh.unit.ByteSize;

/** Turns drafts into volume records, and compares existing volumes with drafts. */
public final class VolumeDesigns {
    private final Stores stores;
    private final VolumeParts parts;
    private final InstantSource clock;

    public VolumeDesigns(Stores stores, VolumeParts parts, InstantSource clock) {
        this.stores = stores;
        this.parts = parts;
        this.clock = clock;
    }

    /** What a new volume would be, without making it. @throws Refusal NOT_FOUND if its store is unknown */
    public VolumeSpec design(VolumeDraft draft) throws IOException {
        var id = UUID.randomUUID();
        var store = stores.find(draft.store().orElse(DefaultStore.NAME));
        stores.require(draft.spread());
        if (draft.database().isPresent()) {
            SharedAttachment.requireShareable(draft);
        }
        var profile = draft.profile().orElse(Profile.GENERAL);
        return new VolumeSpec(
                draft.name(), id, store.name(),
                draft.name() + "-" + id.toString().substring(0, 8),
                draft.blockSize().orElse(profile.blockSize()),
                draft.compression().orElse(profile.compression()),
                draft.key().isPresent() ? plainInline(draft) : draft.inline().orElse(profile.inline()),
                profile, draft.labels(), clock.instant().truncatedTo(ChronoUnit.MILLIS),
                draft.shipsMetadata().orElse(store.url().scheme() == StoreUrl.Scheme.S3 && draft.database().isEmpty()),
                draft.spread(), draft.chosen());
    }

    /** An encrypted volume keeps no bytes of files in its metadata, which is not encrypted. */
    private static ByteSize plainInline(VolumeDraft draft) throws Refusal {
        if (draft.inline().filter(size -> size.bytes() > 0).isPresent()) {
            throw new Refusal(Reason.INVALID, "--inline %s and --encrypt exclude each other: "
                    .formatted(draft.inline().get()) + "the metadata of an encrypted volume is not encrypted",
                    "volsh volume create %s --encrypt %s".formatted(draft.name(), draft.key().orElseThrow()));
        }
        return ByteSize.of("0");
    }

    /** @throws Refusal CONFLICT if it is there with other properties for life */
    public void requireSame(VolumeSpec found, VolumeDraft draft) throws IOException {
        var differences = new ArrayList<String>();
        draft.wantedBlockSize().filter(size -> !size.equals(found.blockSize()))
                .ifPresent(size -> differences.add("block size: is %s, asked for %s"
                        .formatted(found.blockSize(), size)));
        if (!draft.spread().isNone() && !draft.spread().stores().equals(found.stores())) {
            differences.add("stores: are %s, asked for %s".formatted(String.join(",", found.stores()),
                    String.join(",", draft.spread().stores())));
        }
        draft.store().filter(store -> !store.equals(found.store()))
                .ifPresent(store -> differences.add("store: is %s, asked for %s".formatted(found.store(), store)));
        draft.key().filter(key -> !found.encryption().isOn())
                .ifPresent(key -> differences.add("encryption: is off, asked for " + key));
        var database = parts.database(found).map(PostgresUrl::toString);
        draft.database().map(PostgresUrl::toString).filter(wanted -> !database.equals(Optional.of(wanted)))
                .ifPresent(wanted -> differences.add(
                        "metadata: is %s, asked for %s".formatted(database.orElse("on this machine"), wanted)));
        if (!differences.isEmpty()) {
            var refusal = new Refusal(Reason.CONFLICT,
                    "volume '%s' exists with other properties, which are for life".formatted(found.name()),
                    "volsh volume show " + found.name());
            for (var difference : differences) {
                refusal = refusal.detail(difference);
            }
            throw refusal;
        }
    }

    /** With the changeable settings that are asked for. */
    public static VolumeSpec adjusted(VolumeSpec found, VolumeDraft draft) {
        var spec = draft.compression().map(found::with).orElse(found);
        spec = draft.inline().map(spec::withInline).orElse(spec);
        spec = draft.shipsMetadata().map(spec::shippingMetadata).orElse(spec);
        if (!draft.spread().isNone() && !found.spread().isNone()) {
            spec = spec.spread(found.spread().with(draft.spread().policy().orElseThrow()));
        }
        for (var label : draft.labels().entrySet()) {
            spec = spec.withLabel(label.getKey(), label.getValue());
        }
        return spec;
    }
}
