package volsh.command.plan;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.plan.MetadataLoad;

@Command(name = "meta", description = "Compute how many operations on names jobs make together each second.")
@Examples("volsh plan meta --jobs 100 --workers 16 --files-per-second 100")
final class PlanMeta implements Action<MetadataLoad> {
    @Option(names = "--jobs", paramLabel = "N", defaultValue = "1", description = "Jobs at the same time (default: ${DEFAULT-VALUE}).")
    private long jobs;

    @Option(names = "--workers", paramLabel = "N", required = true, description = "Workers of a job.")
    private long workers;

    @Option(names = "--files-per-second", paramLabel = "N", required = true, description = "Files that a worker opens each second.")
    private double files;

    @Option(names = "--operations", paramLabel = "N", defaultValue = "1",
            description = "Operations for each file: 1 counts opens; looking up, stat and close make it 4 (default: ${DEFAULT-VALUE}).")
    private double operations;

    @Override
    public MetadataLoad run(Session session) {
        return MetadataLoad.of(jobs, workers, files, operations);
    }
}
