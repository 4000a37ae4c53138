package volsh.command.plan;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.plan.MetadataLoad;

@Command(name = "meta", description = "Compute the metadata operations that jobs make together per second.")
@Examples("volsh plan meta --jobs 100 --workers 16 --files-per-second 100")
final class PlanMeta implements Action<MetadataLoad> {
    @Option(names = "--jobs", paramLabel = "N", defaultValue = "1",
            description = "Set the concurrent jobs (default: ${DEFAULT-VALUE}).")
    private long jobs;

    @Option(names = "--workers", paramLabel = "N", required = true, description = "Set the workers per job.")
    private long workers;

    @Option(names = "--files-per-second", paramLabel = "N", required = true,
            description = "Set the files each worker opens per second.")
    private double files;

    @Option(names = "--operations", paramLabel = "N", defaultValue = "1",
            description = "Set the operations per file: 1 counts opens; lookup, stat and close make it 4 (default:"
                    + " ${DEFAULT-VALUE}).")
    private double operations;

    @Override
    public MetadataLoad run(Session session) {
        return MetadataLoad.of(jobs, workers, files, operations);
    }
}
