package volsh.transfer;

/** What a transfer did. */
public record Summary(long files, long directories, long bytes, long failed) {}
