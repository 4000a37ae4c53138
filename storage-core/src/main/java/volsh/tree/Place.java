package volsh.tree;

import java.nio.file.Path;
import volsh.catalog.VolumePath;

/** Where files are, as people write it. The text of each is what they would write. */
public sealed interface Place {
    /** A local path; {@code slash} is set if it ends with one, which asks for a directory. */
    record Local(Path path, boolean slash) implements Place {
        @Override
        public String toString() {
            return path.toString();
        }
    }

    /** {@code VOLUME:/path} or {@code VOLUME@SNAPSHOT:/path}. */
    record InVolume(VolumePath path) implements Place {
        @Override
        public String toString() {
            return path.toString();
        }
    }

    /**
     * {@code s3://bucket/key} or {@code store://key}. The key is taken as it is written, without any decoding; one that
     * is empty or ends with a slash asks for what is below it.
     */
    record InBucket(BucketAddress bucket, String key) implements Place {
        @Override
        public String toString() {
            return bucket.shown() + key;
        }

        public InBucket at(String other) {
            return new InBucket(bucket, other);
        }
    }
}
