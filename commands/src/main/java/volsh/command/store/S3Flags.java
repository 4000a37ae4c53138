package volsh.command.store;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.block.StoreUrl;
import volsh.command.failure.CommandFailure;

/** The options that say how to reach a bucket; the URL may also carry them after a question mark. */
public final class S3Flags {
    @Option(names = "--endpoint", paramLabel = "URL",
            description = "Set the S3 server, unless it is Amazon's: https://host:port.")
    private @Nullable String endpoint;

    @Option(names = "--region", paramLabel = "REGION", description = "Set the region of the bucket, e.g. us-east-1.")
    private @Nullable String region;

    @Option(names = "--profile", paramLabel = "PROFILE",
            description = "Take credentials from this profile of the AWS files.")
    private @Nullable String profile;

    @Option(names = "--path-style",
            description = "Name the bucket in the path, not the host name (default with --endpoint).")
    private boolean pathStyle;

    @Option(names = "--anonymous", description = "Use no credentials.")
    private boolean anonymous;

    @Option(names = "--insecure", description = "Allow unencrypted http to another machine.")
    private boolean insecure;

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
        var given = new TreeMap<String, String>();
        put(given, "endpoint", endpoint);
        put(given, "region", region);
        put(given, "profile", profile);
        put(given, "path-style", pathStyle ? "true" : null);
        put(given, "anonymous", anonymous ? "true" : null);
        put(given, "insecure", insecure ? "true" : null);
        put(given, "conditional-put", noConditionalPut ? "off" : null);
        put(given, "checksum", checksum);
        return given;
    }

    private static void put(Map<String, String> given, String name, @Nullable String value) {
        if (value != null) {
            given.put(name, value);
        }
    }
}
