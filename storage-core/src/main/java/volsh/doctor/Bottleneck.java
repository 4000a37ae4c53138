package volsh.doctor;

/**
 * A cause, how much of the waiting it explains (0 to 1), the evidence, and what helps.
 *
 * @param fix a command to run, or a change to make
 */
public record Bottleneck(Culprit culprit, double weight, String evidence, String fix, String gain) {
    /** What makes a job wait. */
    public enum Culprit {
        SLOW_STORE("the store is slow"),
        COLD_CACHE("the data is not in the cache yet"),
        SMALL_CACHE("the cache is too small for the data"),
        TINY_FILES("the files are tiny"),
        TINY_READS("the reads are tiny"),
        SLOW_METADATA("metadata requests are slow"),
        ONE_STRIPE("files use fewer stores than there are"),
        BUSY_DISK("a disk of this machine is saturated"),
        FEW_WORKERS("the job has too few requests in flight"),
        BACKLOG("writes arrive faster than the store accepts them"),
        BUSY_CPU("programs wait for the CPU"),
        SHORT_MEMORY("programs wait for memory"),
        IDLE("this mount is idle");

        private final String words;

        Culprit(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }
}
