package volsh.plan;

import java.time.Duration;
import volsh.unit.ByteSize;

/** Common jobs, as a starting point for one's own numbers. */
public enum Workload {
    /** ImageNet JPEGs of 130 kB on average, 2,048 images in 0.2 s. */
    RESNET50(new JobLoad(8, 256, new ByteSize(130_000), Duration.ofMillis(200))),
    /** Two million tokens of two bytes each in 3 s. */
    LLM7B(new JobLoad(500, 4_000, new ByteSize(2), Duration.ofSeconds(3))),
    /** 10,000 clips of 500 kB in a second. */
    VIDEO(new JobLoad(8, 1_250, new ByteSize(500_000), Duration.ofSeconds(1)));

    private final JobLoad load;

    Workload(JobLoad load) {
        this.load = load;
    }

    public JobLoad load() {
        return load;
    }
}
