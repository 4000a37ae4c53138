package volsh.command.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.catalog.VolumePath;
import volsh.command.Services;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSource;
import volsh.volume.Volumes;

/** Times as of which a volume is read: ages, and the snapshots of the volume that the line names. */
final class PastTimes implements CompletionSource {
    private static final List<String> AGES = List.of("-10m", "-1h", "-1d", "-7d");

    private final Services services;

    PastTimes(Services services) {
        this.services = services;
    }

    @Override
    public List<Candidate> candidates(String prefix) {
        return AGES.stream().map(age -> Candidate.name(age, "ago")).toList();
    }

    @Override
    public List<Candidate> candidates(String prefix, Map<String, String> given) throws Exception {
        var found = new ArrayList<Candidate>();
        Optional<String> volume = volume(given);
        if (volume.isPresent()) {
            services.of(Volumes.class).snapshots().list(volume.get()).forEach(snapshot -> found.add(Candidate.name(
                    "@" + snapshot.name(), "snapshot of " + snapshot.created())));
        }
        found.addAll(candidates(prefix));
        return found;
    }

    @Override
    public String scope(String prefix, Map<String, String> given) {
        return volume(given).orElse("");
    }

    private static Optional<String> volume(Map<String, String> given) {
        return given.values().stream().filter(VolumePath::isOne).map(VolumePath::of).map(VolumePath::volume)
                .findFirst();
    }
}
