package volsh.tree;

import volsh.block.StoreUrl;

/**
 * A bucket, or the part of one that a named store is.
 *
 * @param shown how people write it, ready for a key: {@code s3://bucket/} or {@code store://}
 */
public record BucketAddress(String shown, StoreUrl url) {
    @Override
    public String toString() {
        return shown;
    }
}
