package volsh.bench.loader;

import java.time.Duration;

/**
 * What a training job asks of storage. resnet50, unet3d and cosmoflow have the parameters that MLCommons publishes for version 2.0 of its storage
 * benchmark on an H100 ({@code configs/dlio/workload/*_h100.yaml} of mlcommons/storage), llm those of the Megatron-DeepSpeed workload in DLIO, the program
 * below it. That one is no part of the benchmark: its threshold is the one of most.
 *
 * @param source    whose parameters these are, and of which version
 * @param sample    bytes of a sample on average
 * @param deviation how far samples are from that
 * @param perFile   samples of a file
 * @param compute   of a GPU on a batch
 * @param enough    the utilisation that is wanted
 * @param batches   for each GPU, unless told otherwise: twice as many as workers make ahead at least
 */
public record Model(String source, Format format, long sample, long deviation, int perFile, int batch, int workers, Duration compute, double enough, int batches) {
    private static final String MLPERF = "MLPerf Storage 2.0, H100";
    private static final String MEGATRON = "Megatron-DeepSpeed in DLIO, no part of MLPerf Storage";
    private static final Model RESNET50 = new Model(MLPERF, Format.RECORDS, 114_660, 0, 1251, 400, 8, Duration.ofMillis(224), 0.9, 48);
    private static final Model UNET3D = new Model(MLPERF, Format.FILES, 146_600_628, 68_341_808, 1, 7, 4, Duration.ofMillis(323), 0.9, 24);
    private static final Model COSMOFLOW = new Model(MLPERF, Format.RECORDS, 2_828_486, 71_311, 1, 1, 4, Duration.ofNanos(3_500_000), 0.7, 400);
    private static final Model LLM = new Model(MEGATRON, Format.PLACES, 2048, 0, 1_000_000, 16, 1, Duration.ofMillis(2440), 0.9, 10);

    /** The models there are. */
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
