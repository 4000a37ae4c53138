package volsh.command.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import volsh.command.Services;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSource;
import volsh.volume.Volumes;

/** The tokens of the volume that stands before them. */
record TokenNames(Services services) implements CompletionSource {
    @Override
    public List<Candidate> candidates(String prefix) {
        return List.of();
    }

    @Override
    public String scope(String prefix, Map<String, String> given) {
        return given.getOrDefault("VOLUME", "");
    }

    @Override
    public List<Candidate> candidates(String prefix, Map<String, String> given) throws Exception {
        var found = new ArrayList<Candidate>();
        if (given.containsKey("VOLUME")) {
            for (var token : services.of(Volumes.class).tokens().list(given.get("VOLUME"))) {
                if (token.revoked().isEmpty()) {
                    found.add(Candidate.name(token.id(), (token.readOnly() ? "reads " : "writes ")
                            + token.path().orElse("/") + (token.note().isEmpty() ? "" : ", " + token.note())));
                }
            }
        }
        return found;
    }
}
