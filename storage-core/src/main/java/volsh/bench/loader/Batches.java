package volsh.bench.loader;

/** The samples of a worker with random access: a batch is made by one worker, and workers take turns. */
final class Batches {
    private final int count;
    private final int workers;
    private final int batch;
    private int number;
    private int sample;

    Batches(int count, int worker, int workers, int batch) {
        this.count = count;
        this.workers = workers;
        this.batch = batch;
        this.number = worker;
    }

    /** The next sample's number, or -1 at the end; an incomplete last batch is dropped. */
    int next() {
        if (sample == batch) {
            sample = 0;
            number += workers;
        }
        return (number + 1L) * batch > count ? -1 : number * batch + sample++;
    }
}
