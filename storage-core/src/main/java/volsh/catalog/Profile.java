package volsh.catalog;

import java.util.List;
import java.util.Locale;
import volsh.codec.Compression;
import volsh.unit.ByteSize;

/** Settings that suit a kind of data, with the reason for each. What the user sets by hand wins. */
public enum Profile {
    GENERAL("4MiB", "a good fit for mixed files", "lz4", "costs little, and what does not compress is stored as it is",
            "4KiB",
            "tiny files live beside their metadata and need no object of their own"),
    IMAGES("1MiB", "many small files, read in random order: less to fetch beside the one wanted", "none",
            "images are compressed already", "16KiB", "thumbnails and labels live beside their metadata"),
    VIDEO("16MiB", "large files, read from front to back: fewer requests", "none", "video is compressed already",
            "4KiB",
            "hardly any file is this small"),
    SHARDS("8MiB", "large files, read from front to back, with some skipping", "lz4",
            "tar and record shards are part text, part compressed already; lz4 leaves the latter alone", "4KiB",
            "hardly any file is this small"),
    CHECKPOINTS("16MiB", "large files, written and read as a whole: fewer requests", "zstd:3",
            "weights compress somewhat, and are written more often than read", "4KiB",
            "manifests live beside their metadata"),
    LOGS("1MiB", "small appends, read from the end", "zstd:3", "text compresses well", "16KiB",
            "short logs live beside their metadata");

    private final String blockSize;
    private final String blockSizeReason;
    private final String compression;
    private final String compressionReason;
    private final String inline;
    private final String inlineReason;

    Profile(String blockSize, String blockSizeReason, String compression, String compressionReason, String inline,
            String inlineReason) {
        this.blockSize = blockSize;
        this.blockSizeReason = blockSizeReason;
        this.compression = compression;
        this.compressionReason = compressionReason;
        this.inline = inline;
        this.inlineReason = inlineReason;
    }

    /** One setting of a profile. */
    public record Proposal(String name, String value, String reason) {}

    public ByteSize blockSize() {
        return ByteSize.of(blockSize);
    }

    public Compression compression() {
        return Compression.of(compression);
    }

    public ByteSize inline() {
        return ByteSize.of(inline);
    }

    /** Everything the profile sets: block size, compression, inline limit. */
    public List<Proposal> settings() {
        return List.of(
                new Proposal("block-size", blockSize, blockSizeReason),
                new Proposal("compression", compression, compressionReason),
                new Proposal("inline", inline, inlineReason));
    }

    /** @throws IllegalArgumentException naming the profiles there are */
    public static Profile of(String text) {
        for (var profile : values()) {
            if (profile.toString().equals(text)) {
                return profile;
            }
        }
        throw new IllegalArgumentException(
                "not a profile: '%s' (try general, images, video, shards, checkpoints or logs)".formatted(text));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
