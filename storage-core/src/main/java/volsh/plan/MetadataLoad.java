package volsh.plan;

/** The metadata operations per second that many jobs make on one file system. */
public record MetadataLoad(double operationsOfAJob, double operations, String how) {

    public static MetadataLoad of(long jobs, long workers, double filesPerSecond, double operationsOfAFile) {
        Figures.positive(jobs, "the number of jobs");
        Figures.positive(workers, "the number of workers");
        Figures.positive(filesPerSecond, "the files that a worker opens per second");
        Figures.positive(operationsOfAFile, "the operations on a file");
        double job = workers * filesPerSecond * operationsOfAFile;
        return new MetadataLoad(job, jobs * job, "%s jobs × %s workers × %s files/s × %s operations = %s/s"
                .formatted(Figures.count(jobs), Figures.count(workers), Figures.plain(filesPerSecond),
                        Figures.plain(operationsOfAFile), Figures.count(Math.round(jobs * job))));
    }
}
