package volsh.catalog;

import java.util.ArrayList;
import java.util.List;

/**
 * One setting of a volume with its value, where that came from, and the reason.
 *
 * @param name    as the option is called
 * @param forLife whether it can never be changed
 */
public record Setting(String name, String value, Origin origin, String reason, boolean forLife) {
    /** Where a value came from. */
    public enum Origin {
        DEFAULT,
        PROFILE,
        FLAG
    }

    /**
     * Every setting of the volume. What the profile would not give was chosen by hand, and what is written down as
     * such.
     */
    public static List<Setting> of(VolumeSpec spec) {
        return of(spec, VolumeDraft.named(spec.name()));
    }

    /** Every setting of a volume made from this draft. */
    public static List<Setting> of(VolumeSpec spec, VolumeDraft draft) {
        var profile = spec.profile();
        var settings = new ArrayList<>(List.of(
                store(spec, isChosen(spec, draft, "store")),
                setting(profile, profile.settings().get(0), spec.blockSize(), isChosen(spec, draft, "block-size"),
                        true),
                setting(profile, profile.settings().get(1), spec.compression(), isChosen(spec, draft, "compression"),
                        false),
                setting(profile, profile.settings().get(2), spec.inline(), isChosen(spec, draft, "inline"), false),
                shipping(spec, draft)));
        spec.spread().policy().ifPresent(policy -> settings.add(1, new Setting("layout", policy.toString(), Origin.FLAG,
                "how blocks are spread over %d stores".formatted(spec.stores().size()), false)));
        return List.copyOf(settings);
    }

    private static boolean isChosen(VolumeSpec spec, VolumeDraft draft, String setting) {
        return spec.chosen().contains(setting) || draft.chosen().contains(setting);
    }

    private static Setting store(VolumeSpec spec, boolean given) {
        boolean standard = spec.store().equals(DefaultStore.NAME) && !given;
        return new Setting("store", String.join(",", spec.stores()), standard ? Origin.DEFAULT : Origin.FLAG,
                standard ? "a directory beside the catalog, when no store is named" : "chosen by hand", true);
    }

    private static Setting shipping(VolumeSpec spec, VolumeDraft draft) {
        boolean given = isChosen(spec, draft, "ship-metadata");
        String reason = spec.shipsMetadata()
                ? "so that the volume can be attached on another machine if this one is lost"
                : draft.database().map(url -> "its metadata is in " + url)
                .orElse("its metadata is on this machine only");
        return new Setting("ship-metadata", spec.shipsMetadata() ? "on" : "off", given ? Origin.FLAG : Origin.DEFAULT,
                reason, false);
    }

    private static Setting setting(Profile profile, Profile.Proposal proposal, Object value, boolean given,
            boolean forLife) {
        boolean same = value.toString().equals(proposal.value());
        if (given || !same) {
            String reason = "chosen by hand" + (same ? "" : "; profile %s has %s".formatted(profile, proposal.value()));
            return new Setting(proposal.name(), value.toString(), Origin.FLAG, reason, forLife);
        }
        var origin = profile == Profile.GENERAL ? Origin.DEFAULT : Origin.PROFILE;
        return new Setting(proposal.name(), proposal.value(), origin, proposal.reason(), forLife);
    }
}
