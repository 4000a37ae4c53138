package volsh.block.s3;

import java.util.Optional;
import volsh.block.BlockKey;
import volsh.block.StoreUrl;

/** A bucket, the prefix of its object names, and the name for users. */
record BucketPrefix(String bucket, String prefix, String name) {
    static BucketPrefix of(StoreUrl url) {
        String[] parts = url.path().split("/", 2);
        return new BucketPrefix(parts[0], parts.length == 1 ? "" : parts[1] + "/", "s3://" + url.path());
    }

    String object(BlockKey key) {
        return prefix + key.text();
    }

    /** The key of an object below the prefix; empty for other objects. */
    Optional<BlockKey> key(String object) {
        return Optional.of(object.substring(prefix.length())).filter(BlockKey::isKey).map(BlockKey::new);
    }
}
