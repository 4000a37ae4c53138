package volsh.command.store;

import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;

/** The options that say where a bucket is and who asks. */
public final class BucketFlags {
    @Option(names = "--endpoint", paramLabel = "URL",
            description = "Set the S3 server of the bucket, unless it is Amazon's: https://host:port.")
    private @Nullable String endpoint;

    @Option(names = "--region", paramLabel = "REGION", description = "Set the region of the bucket, e.g. us-east-1.")
    private @Nullable String region;

    @Option(names = "--profile", paramLabel = "PROFILE",
            description = "Take the credentials for the bucket from this profile of the AWS files.")
    private @Nullable String profile;

    @Option(names = "--path-style",
            description = "Name the bucket in the path, not the host name (default with --endpoint).")
    private boolean pathStyle;

    @Option(names = "--anonymous", description = "Use no credentials for the bucket.")
    private boolean anonymous;

    @Option(names = "--insecure", description = "Allow unencrypted http to a bucket on another machine.")
    private boolean insecure;

    /** Refuses these options where no bucket is meant. */
    public void requireNone() {
        var given = given();
        if (!given.isEmpty()) {
            throw CommandFailure.usage("--%s needs an s3:// store".formatted(given.firstKey()));
        }
    }

    /** The given options, by their names in a URL. */
    public SortedMap<String, String> given() {
        var given = new TreeMap<String, String>();
        put(given, "endpoint", endpoint);
        put(given, "region", region);
        put(given, "profile", profile);
        put(given, "path-style", pathStyle ? "true" : null);
        put(given, "anonymous", anonymous ? "true" : null);
        put(given, "insecure", insecure ? "true" : null);
        return given;
    }

    /** Adds an option that was given. */
    public static void put(SortedMap<String, String> given, String name, @Nullable String value) {
        if (value != null) {
            given.put(name, value);
        }
    }
}
