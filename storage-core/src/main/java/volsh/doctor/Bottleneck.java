package volsh.doctor;

/**
 * A cause, how much of the waiting it explains (0 to 1), what shows it, and what helps.
 *
 * @param fix a command to run, or a change to make
 */
public record Bottleneck(Culprit culprit, double weight, String evidence, String fix, String gain) {
    /** What keeps a job waiting. */
    public enum Culprit {
        SLOW_STORE("the store answers late"),
        COLD_CACHE("the data is not in the cache yet"),
        SMALL_CACHE("the cache is too small for the data"),
        TINY_FILES("the files are tiny"),
        TINY_READS("the reads are tiny"),
        SLOW_METADATA("names and attributes answer late"),
        ONE_STRIPE("one store serves what several could"),
        BUSY_DISK("a disk of this machine is saturated"),
        FEW_WORKERS("the job asks for too little at a time"),
        BACKLOG("writes come faster than the store takes them"),
        BUSY_CPU("programs wait for the CPU"),
        SHORT_MEMORY("programs wait for memory"),
        IDLE("nothing is asked of this mount");

        private final String words;

        Culprit(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }
}
