package volsh.command.tree;

import java.util.ArrayList;
import java.util.List;
import volsh.command.Services;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSource;
import volsh.volume.Volumes;

/** Completes {@code VOLUME@NAME}: names of volumes before the sign, behind it those of the volume's snapshots. */
final class SnapshotNames implements CompletionSource {
    private final Services services;
    private final CompletionSource volumes;

    SnapshotNames(Services services, CompletionSource volumes) {
        this.services = services;
        this.volumes = volumes;
    }

    @Override
    public String scope(String typed) {
        int at = typed.indexOf('@');
        return at < 0 ? "" : typed.substring(0, at);
    }

    @Override
    public List<Candidate> candidates(String typed) throws Exception {
        int at = typed.indexOf('@');
        if (at < 0) {
            return begun(volumes.candidates(typed));
        }
        String volume = typed.substring(0, at);
        var found = new ArrayList<Candidate>();
        for (var snapshot : services.of(Volumes.class).snapshots().list(volume)) {
            found.add(Candidate.name(volume + "@" + snapshot.name(),
                    snapshot.label().isEmpty() ? snapshot.created().toString() : snapshot.label()));
        }
        return found;
    }

    @Override
    public List<Candidate> ahead() throws Exception {
        return begun(volumes.ahead());
    }

    private static List<Candidate> begun(List<Candidate> volumes) {
        return volumes.stream().map(volume -> Candidate.name(volume.word() + "@", volume.description())).toList();
    }
}
