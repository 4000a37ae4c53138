package volsh.command.tree;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.bench.Runs;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.command.Services;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSource;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.vfs.Vfs;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/**
 * Runs there are: of training, as directories of the volume that the line names, with the steps that were saved; and of
 * benches. Only names are read.
 */
final class LiveRuns {
    private static final Pattern STEP = Pattern.compile("step-0*(\\d+)");
    private static final int SHOWN_MAX = 1000;

    private final Services services;

    LiveRuns(Services services) {
        this.services = services;
    }

    /** In a line with a volume, the runs with checkpoints in it; else benchmark runs. */
    CompletionSource runs() {
        return new Beside(List.of("VOLUME")) {
            @Override
            public List<Candidate> candidates(String prefix, Map<String, String> given) throws Exception {
                return given.containsKey("VOLUME") ? training(given.get("VOLUME")) : benches();
            }
        };
    }

    /** The steps of the run that the line names. */
    CompletionSource steps() {
        return new Beside(List.of("VOLUME", "--run")) {
            @Override
            public List<Candidate> candidates(String prefix, Map<String, String> given) throws Exception {
                return given.containsKey("VOLUME") && given.containsKey("--run")
                        ? steps(given.get("VOLUME"), given.get("--run")) : List.of();
            }
        };
    }

    /** Its answer depends on other words of the line. */
    private abstract static class Beside implements CompletionSource {
        private final List<String> labels;

        Beside(List<String> labels) {
            this.labels = labels;
        }

        @Override
        public List<Candidate> candidates(String prefix) {
            return List.of();
        }

        @Override
        public String scope(String prefix, Map<String, String> given) {
            return String.join("\n", labels.stream().map(label -> given.getOrDefault(label, "")).toList());
        }
    }

    /** Runs of benches, the word for the newest, and baselines. */
    List<Candidate> benches() throws Exception {
        var found = new ArrayList<Candidate>();
        for (var run : kept().all()) {
            found.add(Candidate.name(run.id(), run.profile() + " on " + run.target()));
        }
        if (!found.isEmpty()) {
            found.add(Candidate.name("last", "the newest run"));
        }
        found.addAll(baselines());
        return found;
    }

    List<Candidate> baselines() throws Exception {
        var runs = kept();
        var found = new ArrayList<Candidate>();
        for (String name : runs.baselines()) {
            var run = runs.find(name);
            found.add(Candidate.name(name, "baseline: %s on %s".formatted(run.profile(), run.target())));
        }
        return found;
    }

    private Runs kept() throws Exception {
        return new Runs(services.of(Home.class).state().resolve("bench"));
    }

    private List<Candidate> training(String name) throws Exception {
        try (var volume = services.of(Volumes.class).open(name, Access.NAMES, "completion")) {
            var found = new ArrayList<Candidate>();
            for (var entry : volume.vfs().list(Vfs.ROOT, null, SHOWN_MAX)) {
                if (entry.kind() == FileKind.DIRECTORY) {
                    int steps = stepsBelow(volume, entry.ino()).size();
                    found.add(Candidate.name(entry.name().toString(),
                            steps == 1 ? "1 checkpoint" : steps + " checkpoints"));
                }
            }
            found.removeIf(run -> run.description().startsWith("0 "));
            return found;
        }
    }

    private List<Candidate> steps(String name, String run) throws Exception {
        try (var volume = services.of(Volumes.class).open(name, Access.NAMES, "completion")) {
            long directory = volume.vfs().lookup(Vfs.ROOT, Name.of(run)).ino();
            return stepsBelow(volume, directory).stream()
                    .map(step -> Candidate.name(step, "checkpoint of run '%s'".formatted(run))).toList();
        }
    }

    private static List<String> stepsBelow(Volume volume, long directory) throws IOException {
        return volume.vfs().list(directory, null, SHOWN_MAX).stream()
                .map(entry -> STEP.matcher(entry.name().toString())).filter(Matcher::matches)
                .map(matched -> matched.group(1)).toList();
    }
}
