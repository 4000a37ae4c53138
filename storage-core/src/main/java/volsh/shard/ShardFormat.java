package volsh.shard;

/** The formats of shards, by the name people give them on the command line. */
public enum ShardFormat {
    /** Tar archives whose adjacent members with one key are a sample. */
    WEBDATASET("tar"),
    /** Length-prefixed records with masked CRC-32C, each a {@code tf.train.Example}. */
    TFRECORD("tfrecord"),
    /** MosaicML Streaming, version 2: shards and an {@code index.json}. */
    MDS("mds"),
    /** Records with an index at the end of the file, for random access: our own. */
    RECORDS("records"),
    /** Token ids of fixed sequence length. */
    TOKENS("tokens"),
    /** Fixed-size vectors of numbers behind a header of 64 bytes ({@code SHARD001}). */
    MMAP("shard");

    private final String extension;

    ShardFormat(String extension) {
        this.extension = extension;
    }

    /** What names of shards end in, without a dot. */
    public String extension() {
        return extension;
    }
}
