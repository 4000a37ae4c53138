package volsh.block.s3;

import java.util.Optional;
import volsh.block.BlockKey;
import volsh.block.StoreUrl;

/** A bucket, what every object's name starts with, and how people call it. */
record BucketPrefix(String bucket, String prefix, String name) {
    static BucketPrefix of(StoreUrl url) {
        String[] parts = url.path().split("/", 2);
        return new BucketPrefix(parts[0], parts.length == 1 ? "" : parts[1] + "/", "s3://" + url.path());
    }

    String object(BlockKey key) {
        return prefix + key.text();
    }

    /** The key of an object below the prefix; empty if it is none of ours. */
    Optional<BlockKey> key(String object) {
        return Optional.of(object.substring(prefix.length())).filter(BlockKey::isKey).map(BlockKey::new);
    }
}
