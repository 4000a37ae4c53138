package volsh.transfer;

/** What a transfer did. */
public record Summary(long files, long directories, long bytes, long failed) {
    public Summary plus(Summary other) {
        return new Summary(files + other.files, directories + other.directories, bytes + other.bytes,
                failed + other.failed);
    }
}
