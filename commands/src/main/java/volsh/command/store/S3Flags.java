package volsh.command.store;

import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.block.StoreUrl;
import volsh.command.failure.CommandFailure;

/** The options that say how to reach a bucket; the URL may also carry them after a question mark. */
public final class S3Flags {
    @Mixin
    private BucketFlags bucket;

    @Option(names = "--no-conditional-put",
            description = "Use a server without If-None-Match; this protects volumes less against two hosts.")
    private boolean noConditionalPut;

    @Option(names = "--checksum", paramLabel = "crc32c|md5", completionCandidates = Checksums.class,
            description = "Let the server verify each put with this checksum (default: crc32c).")
    private @Nullable String checksum;

    /** The checksums of puts. */
    static final class Checksums implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("crc32c", "md5").iterator();
        }
    }

    /** The URL with these options. */
    public StoreUrl of(StoreUrl url) {
        if (url.scheme() != StoreUrl.Scheme.S3) {
            requireNone();
        }
        return url.with(given());
    }

    /** Refuses these options for a store that is not a bucket. */
    public void requireNone() {
        var given = given();
        if (!given.isEmpty()) {
            throw CommandFailure.usage("--%s needs an s3:// store".formatted(
                    given.firstKey().equals("conditional-put") ? "no-conditional-put" : given.firstKey()));
        }
    }

    private SortedMap<String, String> given() {
        var given = new TreeMap<>(bucket.given());
        BucketFlags.put(given, "conditional-put", noConditionalPut ? "off" : null);
        BucketFlags.put(given, "checksum", checksum);
        return given;
    }
}
