package volsh.command.tree;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import volsh.command.Services;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSource;
import volsh.volume.Volumes;

/** Settings of volumes with their values, and the labels that volumes have. */
final class LiveSettings {
    private static final int VOLUMES_MAX = 200;
    private static final Map<String, List<String>> VALUES = new LinkedHashMap<>();

    static {
        VALUES.put("compression", UsualValues.values().get("CODEC"));
        VALUES.put("inline", UsualValues.values().get("--inline"));
        VALUES.put("ship-metadata", List.of("on", "off"));
        VALUES.put("retention", UsualValues.values().get("--retention"));
        VALUES.put("gc", List.of("auto", "manual"));
    }

    private final Services services;

    LiveSettings(Services services) {
        this.services = services;
    }

    /** {@code compression=lz4}: settings up to their sign, then their values. */
    CompletionSource assignments() {
        return new CompletionSource() {
            @Override
            public List<Candidate> candidates(String typed) throws Exception {
                return assignments(typed);
            }

            @Override
            public String scope(String typed) {
                return typed.substring(0, typed.indexOf('=') + 1);
            }
        };
    }

    private List<Candidate> assignments(String typed) throws Exception {
        String name = typed.substring(0, Math.max(0, typed.indexOf('=')));
        var found = new ArrayList<Candidate>();
        if (name.isEmpty()) {
            VALUES.forEach((setting, values) -> found.add(Candidate.name(setting + "=", String.join(", ", values))));
            for (String label : labels()) {
                String begun = "label." + label.substring(0, label.indexOf('=') + 1);
                if (found.stream().noneMatch(each -> each.word().equals(begun))) {
                    found.add(Candidate.name(begun, "label"));
                }
            }
            return found;
        }
        VALUES.getOrDefault(name, List.of()).forEach(value -> found.add(Candidate.name(name + "=" + value, "")));
        for (String label : name.startsWith("label.") ? labels() : new TreeSet<String>()) {
            found.add(Candidate.name("label." + label, "label"));
        }
        return found;
    }

    /** {@code KEY=VALUE} of all volumes. */
    private Set<String> labels() throws Exception {
        var labels = new TreeSet<String>();
        var volumes = services.of(Volumes.class);
        for (String name : volumes.names().stream().limit(VOLUMES_MAX).toList()) {
            volumes.find(name).labels().forEach((key, value) -> labels.add(key + "=" + value));
        }
        return labels;
    }

    List<Candidate> usedLabels() throws Exception {
        return labels().stream().map(label -> Candidate.name(label, "label of a volume")).toList();
    }
}
