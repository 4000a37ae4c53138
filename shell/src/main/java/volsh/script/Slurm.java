package volsh.script;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The Slurm job of this process, from the environment; unknown values are null. */
public final class Slurm {
    private final Map<String, String> environment;

    Slurm(Map<String, String> environment) {
        this.environment = environment;
    }

    public @Nullable String getJobId() {
        return environment.get("SLURM_JOB_ID");
    }

    public @Nullable String getJobUser() {
        return environment.get("SLURM_JOB_USER");
    }

    public @Nullable String getJobUid() {
        return environment.get("SLURM_JOB_UID");
    }

    public @Nullable String getGpus() {
        return environment.get("SLURM_JOB_GPUS");
    }

    public @Nullable String getNode() {
        return environment.get("SLURMD_NODENAME");
    }

    /** {@code prolog_slurmd}, {@code prolog_task} and so on. */
    public @Nullable String getContext() {
        return environment.get("SLURM_SCRIPT_CONTEXT");
    }

    public @Nullable String getRestartCount() {
        return environment.get("SLURM_JOB_RESTART_COUNT");
    }
}
