package volsh.block;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The URL of a store: {@code file:///path}, {@code s3://bucket/prefix?endpoint=…} or {@code
 * mem://name}, with options after a question mark. Never contains a secret: credentials are configured elsewhere.
 *
 * <p>{@code path} is the absolute path of a file store, {@code bucket} or {@code bucket/prefix} of s3, and the name of
 * a memory store.
 */
public record StoreUrl(Scheme scheme, String path, SortedMap<String, String> options) {
    private static final int LENGTH_MAX = 1024;
    private static final String BUCKETS = "buckets have 3 to 63 lower-case letters, digits, dots and dashes; ";

    /** The kinds of stores, with their options besides {@link StoreOptions#NAMES}. */
    public enum Scheme {
        FILE("(/[^/]+)+", "file:///path"),
        S3("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9_][A-Za-z0-9._=-]*)*", "s3://bucket/prefix",
                S3Options.NAMES.toArray(new String[0])),
        MEM("[a-z0-9][a-z0-9_-]{0,62}", "mem://name");

        private final Pattern shape;
        private final String example;
        private final List<String> options;

        Scheme(String shape, String example, String... options) {
            this.shape = Pattern.compile(shape);
            this.example = example;
            this.options = Collections.unmodifiableList(names(options));
        }

        private static List<String> names(String... own) {
            var names = new ArrayList<>(StoreOptions.NAMES);
            names.addAll(List.of(own));
            Collections.sort(names);
            return names;
        }

        private String prefix() {
            return name().toLowerCase(Locale.ROOT) + "://";
        }
    }

    public StoreUrl {
        boolean strange = path.chars().anyMatch(Character::isISOControl) || List.of(path.split("/")).contains("..");
        if (strange || !scheme.shape.matcher(path).matches()) {
            throw new IllegalArgumentException(
                    "invalid location of a store: '%s' (%stry %s)".formatted(printable(path),
                            scheme == Scheme.S3 ? BUCKETS : "", scheme.example));
        }
        options = Collections.unmodifiableSortedMap(new TreeMap<>(options));
        options.keySet().forEach(name -> checkName(scheme, name));
        options.values().forEach(StoreUrl::checkValue);
        StoreOptions.of(options);
        if (scheme == Scheme.S3) {
            S3Options.of(options);
        }
    }

    /**
     * Parses a URL.
     *
     * @throws IllegalArgumentException saying what is wrong and what is allowed, never repeating a secret
     */
    public static StoreUrl of(String text) {
        if (text.length() > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "store URL too long: %d characters (at most %d)".formatted(text.length(), LENGTH_MAX));
        }
        Scheme scheme = scheme(text);
        String[] parts = text.substring(scheme.prefix().length()).split("\\?", 2);
        refuseCredentials(parts[0]);
        String path = UrlText.decode(parts[0]);
        return new StoreUrl(scheme, scheme == Scheme.FILE ? withoutEmptyParts(path) : trimmed(path), options(parts));
    }

    private static Scheme scheme(String text) {
        for (Scheme scheme : Scheme.values()) {
            if (text.startsWith(scheme.prefix())) {
                return scheme;
            }
        }
        boolean url = text.matches("[a-zA-Z][a-zA-Z0-9+.-]*://.*");
        String found = url ? text.substring(0, text.indexOf(':')) + "://" : "this";
        boolean almost = found.matches("(?i)s[0-9]?[an]?://");   // such as s3a:// of Hadoop
        throw new IllegalArgumentException("%s is not a valid store URL (%s)".formatted(
                almost ? "'" + found + "'" : found,
                almost ? "did you mean 's3://'?" : "try file:///path, s3://bucket/prefix or mem://name"));
    }

    private static void refuseCredentials(String place) {
        if (place.split("/", 2)[0].contains("@")) {
            throw new IllegalArgumentException(
                    "credentials do not belong in a store URL (use the AWS provider chain or a 0600 file)");
        }
    }

    private static String withoutEmptyParts(String path) {
        return path.replaceAll("/(\\.?/)*", "/").replaceAll("/\\.?$", "");
    }

    private static String trimmed(String path) {
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private static SortedMap<String, String> options(String[] parts) {
        var options = new TreeMap<String, String>();
        if (parts.length == 2) {
            for (String option : parts[1].split("&", -1)) {
                String[] pair = option.split("=", 2);
                if (pair.length != 2 || options.put(UrlText.decode(pair[0]), UrlText.decode(pair[1])) != null) {
                    throw new IllegalArgumentException(
                            "invalid option: '%s' (write each option once, as name=value)"
                                    .formatted(printable(pair[0])));
                }
            }
        }
        return options;
    }

    private static void checkName(Scheme scheme, String name) {
        if (!scheme.options.contains(name)) {
            throw new IllegalArgumentException("%s has no option '%s' (valid: %s)"
                    .formatted(scheme.prefix(), printable(name), String.join(", ", scheme.options)));
        }
    }

    private static void checkValue(String value) {
        if (value.isEmpty() || value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("the value of an option is empty or contains control characters");
        }
    }

    private static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    /** The simulated limits in the options. */
    public StoreOptions storeOptions() {
        return StoreOptions.of(options);
    }

    /** How the bucket of an s3 URL is accessed. */
    public S3Options s3Options() {
        return S3Options.of(options);
    }

    /**
     * The same URL with more options.
     * @throws IllegalArgumentException if one is unknown, invalid or already present
     */
    public StoreUrl with(SortedMap<String, String> more) {
        var all = new TreeMap<>(options);
        more.forEach((name, value) -> {
            if (all.put(name, value) != null) {
                throw new IllegalArgumentException("option %s is already in the URL".formatted(name));
            }
        });
        return new StoreUrl(scheme, path, all);
    }

    /** The value of one option, if it is set. */
    public Optional<String> option(String name) {
        return Optional.ofNullable(options.get(name));
    }

    /** The canonical form: equal URLs have the same text, and the text parses back to the same URL. */
    @Override
    public String toString() {
        String query = options.entrySet().stream()
                .map(option -> option.getKey() + "=" + UrlText.encode(option.getValue()))
                .collect(Collectors.joining("&"));
        return scheme.prefix() + UrlText.encode(path) + (query.isEmpty() ? "" : "?" + query);
    }
}
