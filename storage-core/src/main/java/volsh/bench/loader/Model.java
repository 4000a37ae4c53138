package volsh.bench.loader;

import java.time.Duration;

/**
 * The storage demand of a training job. resnet50, unet3d and cosmoflow have the parameters published by MLCommons for
 * version 2.0 of its storage benchmark on an H100 ({@code configs/dlio/workload/*_h100.yaml} of mlcommons/storage), llm
 * those of the Megatron-DeepSpeed workload in DLIO, the program below it. The latter is not part of the benchmark: its
 * threshold is the usual one.
 *
 * @param source    the origin and version of the parameters
 * @param sample    mean bytes of a sample
 * @param deviation its standard deviation
 * @param perFile   samples per file
 * @param compute   time of a GPU per batch
 * @param enough    the required utilisation
 * @param batches   default per GPU: at least twice as many as workers prefetch
 */
public record Model(String source, Format format, long sample, long deviation, int perFile, int batch, int workers,
        Duration compute, double enough, int batches) {
    private static final String MLPERF = "MLPerf Storage 2.0, H100";
    private static final String MEGATRON = "Megatron-DeepSpeed in DLIO, not part of MLPerf Storage";
    private static final Model RESNET50 = new Model(MLPERF, Format.RECORDS, 114_660, 0, 1251, 400, 8,
            Duration.ofMillis(224), 0.9, 48);
    private static final Model UNET3D = new Model(MLPERF, Format.FILES, 146_600_628, 68_341_808, 1, 7, 4,
            Duration.ofMillis(323), 0.9, 24);
    private static final Model COSMOFLOW = new Model(MLPERF, Format.RECORDS, 2_828_486, 71_311, 1, 1, 4,
            Duration.ofNanos(3_500_000), 0.7, 400);
    private static final Model LLM = new Model(MEGATRON, Format.PLACES, 2048, 0, 1_000_000, 16, 1,
            Duration.ofMillis(2440), 0.9, 10);

    /** The available models. */
    public enum Name {
        RESNET50(Model.RESNET50),
        UNET3D(Model.UNET3D),
        COSMOFLOW(Model.COSMOFLOW),
        LLM(Model.LLM);

        private final Model model;

        Name(Model model) {
            this.model = model;
        }

        public Model model() {
            return model;
        }
    }
}
