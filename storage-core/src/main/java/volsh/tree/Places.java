package volsh.tree;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import volsh.block.StoreUrl;
import volsh.catalog.StoreEntry;
import volsh.catalog.VolumePath;

/**
 * Reads places. What a word means depends on its form alone: {@code s3://bucket/key} and {@code file:///path} are URLs,
 * {@code NAME://key} is in the store of that name, {@code NAME:/path} in a volume, everything else is local. A local
 * file whose name looks like one of these is written {@code ./x:y}.
 */
public final class Places {
    private static final Pattern URL = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://(.*)", Pattern.DOTALL);
    private static final String S3 = "s3";

    private final Stores stores;
    private final SortedMap<String, String> options;

    /** Knows the stores of this machine. */
    public interface Stores {
        Optional<StoreEntry> find(String name) throws IOException;
    }

    /** {@code options} are those of URLs of buckets, by their names in {@link volsh.block.S3Options}. */
    public Places(Stores stores, SortedMap<String, String> options) {
        this.stores = stores;
        this.options = new TreeMap<>(options);
    }

    /** Whether the word is a URL of a store, or names one: neither local nor in a volume. */
    public static boolean isUrl(String word) {
        return URL.matcher(word).matches();
    }

    /** @throws IllegalArgumentException saying what is wrong; {@link NoSuchStoreException} */
    public Place of(String word) throws IOException {
        var url = URL.matcher(word);
        if (url.matches()) {
            return url(url.group(1), url.group(2), word);
        }
        if (VolumePath.isOne(word)) {
            return volume(word);
        }
        return local(word);
    }

    private static Place volume(String word) {
        try {
            return new Place.InVolume(VolumePath.of(word));
        } catch (IllegalArgumentException noVolume) {
            return local(word);
        }
    }

    private static Place.Local local(String word) {
        if (word.isEmpty()) {
            throw new IllegalArgumentException("a file name cannot be empty");
        }
        return new Place.Local(Path.of(word), word.endsWith("/"));
    }

    private Place url(String scheme, String rest, String word) throws IOException {
        return switch (scheme) {
            case S3 -> bucket(rest, word);
            case "file" -> {
                if (!rest.startsWith("/")) {
                    throw new IllegalArgumentException("'%s': a file URL needs an absolute path (try file:///data)"
                            .formatted(word));
                }
                yield local(rest);
            }
            case "mem" -> throw new IllegalArgumentException(
                    "'%s': a memory store exists only within the process that writes it".formatted(word));
            default -> named(scheme, rest);
        };
    }

    private Place bucket(String rest, String word) {
        int slash = rest.indexOf('/');
        String name = slash < 0 ? rest : rest.substring(0, slash);
        if (name.isEmpty()) {
            throw new IllegalArgumentException("'%s': the bucket is missing (try s3://bucket/key)".formatted(word));
        }
        if (name.contains("?")) {
            throw new IllegalArgumentException("'%s': the options of a bucket are given as --endpoint, --region,"
                    .formatted(word) + " --profile, --anonymous and --insecure, or with a named store");
        }
        return new Place.InBucket(new BucketAddress("s3://" + name + "/", StoreUrl.of("s3://" + name).with(options)),
                slash < 0 ? "" : checked(rest.substring(slash + 1)));
    }

    private Place named(String name, String rest) throws IOException {
        var entry = stores.find(name);
        if (entry.isEmpty()) {
            throw new NoSuchStoreException(name);
        }
        var url = entry.get().url();
        return switch (url.scheme()) {
            case S3 -> new Place.InBucket(new BucketAddress(name + "://", given(url)), checked(rest));
            case FILE -> new Place.Local(Path.of(url.path()).resolve(rest.replaceAll("^/+", "")),
                    rest.isEmpty() || rest.endsWith("/"));
            case MEM -> throw new IllegalArgumentException(
                    "store '%s' is in memory: it exists only within the process that writes it".formatted(name));
        };
    }

    /** Options on the command line override those of the named store. */
    private StoreUrl given(StoreUrl url) {
        var all = new TreeMap<>(url.options());
        all.putAll(options);
        return new StoreUrl(url.scheme(), url.path(), all);
    }

    private static String checked(String key) {
        if (key.indexOf('\uFFFD') >= 0) {
            throw new IllegalArgumentException("a key is text in UTF-8, and this word is not");
        }
        return key;
    }
}
