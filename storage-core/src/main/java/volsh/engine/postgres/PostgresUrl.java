package volsh.engine.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The location of a volume's metadata: {@code postgres://user@host:port/database?sslmode=verify-full#volume}. Several
 * hosts of one cluster are separated by commas. The password is best left to {@code ~/.pgpass} or {@code PGPASSWORD}; a
 * given one is kept, but is not part of {@link #toString}. Loads nothing of the driver.
 *
 * @param user empty for the driver's default
 * @param hosts one or more, separated by commas, each with or without a port
 * @param options of the driver, and ours for {@link PostgresLimits}; only those in {@link #OPTIONS}
 * @param volume the name of the volume in the database; empty for the database as such
 */
public record PostgresUrl(
        Optional<String> user, Optional<String> password, String hosts, String database, Map<String, String> options,
        String volume) {
    /** The allowed options of the driver. Not all of its options: some load classes or write files. */
    public static final Set<String> OPTIONS = Set.of(
            "sslmode", "sslrootcert", "sslcert", "sslkey", "sslNegotiation", "channelBinding", "gssEncMode",
            "targetServerType", "connectTimeout", "socketTimeout", "tcpKeepAlive", "prepareThreshold",
            "ApplicationName", PostgresLimits.OUTAGE);

    private static final Pattern FORM = Pattern.compile(
            "postgres(?:ql)?://(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^@/?#]+)/"
                    + "(?<database>[^/?#]+)(?:\\?(?<options>[^#]*))?(?:#(?<volume>.*))?");
    private static final Pattern HOST = Pattern.compile("(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::[0-9]{1,5})?");
    private static final Pattern VOLUME = Pattern.compile("(?:[a-z0-9][a-z0-9-]{0,56})?");

    public PostgresUrl {
        options = Map.copyOf(options);
        for (var option : options.keySet()) {
            if (!OPTIONS.contains(option)) {
                throw new IllegalArgumentException("unknown option '%s' in the URL of a PostgreSQL database (valid: %s)"
                        .formatted(option, String.join(", ", OPTIONS.stream().sorted().toList())));
            }
        }
        PostgresLimits.requireSense(options);
        for (var host : hosts.split(",", -1)) {
            if (!HOST.matcher(host).matches()) {
                throw new IllegalArgumentException("invalid host in the URL of a PostgreSQL database: '%s'"
                        .formatted(host));
            }
        }
        if (!VOLUME.matcher(volume).matches()) {
            throw new IllegalArgumentException(
                    ("invalid name of a volume in a PostgreSQL database (use 1 to 57 lower case letters, "
                            + "digits and dashes): '%s'").formatted(volume));
        }
    }

    /** Whether the text looks like such a URL. */
    public static boolean isOne(String text) {
        return text.startsWith("postgres://") || text.startsWith("postgresql://");
    }

    /**
     * @throws IllegalArgumentException if it is invalid; the message does not repeat the text, which may contain a
     * password
     */
    public static PostgresUrl of(String text) {
        var found = FORM.matcher(text);
        if (!found.matches()) {
            throw new IllegalArgumentException(
                    "invalid URL of a PostgreSQL database (try postgres://user@host/database)");
        }
        return new PostgresUrl(
                Optional.ofNullable(found.group("user")).filter(user -> !user.isEmpty()).map(PostgresUrl::decoded),
                Optional.ofNullable(found.group("password")).map(PostgresUrl::decoded),
                found.group("hosts"), decoded(found.group("database")), options(found.group("options")),
                found.group("volume") == null ? "" : found.group("volume"));
    }

    private static Map<String, String> options(String query) {
        var options = new TreeMap<String, String>();
        for (var option : query == null || query.isEmpty() ? new String[0] : query.split("&")) {
            int equals = option.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        "invalid option in the URL of a PostgreSQL database (write it as name=value)");
            }
            options.put(decoded(option.substring(0, equals)), decoded(option.substring(equals + 1)));
        }
        return options;
    }

    /** The same database, and this volume in it. */
    public PostgresUrl withVolume(String name) {
        return new PostgresUrl(user, password, hosts, database, options, name);
    }

    /** The same database and volume for this user. */
    PostgresUrl as(String name, Optional<String> word) {
        return new PostgresUrl(Optional.of(name), word, hosts, database, options, volume);
    }

    /** The complete URL including the password: to be stored privately, never shown. */
    public String secret() {
        return text(password.map(word -> ":" + encoded(word)).orElse(""));
    }

    /** All but the password. */
    @Override
    public String toString() {
        return text("");
    }

    private String text(String word) {
        var parameters = new ArrayList<String>();
        new TreeMap<>(options)
                .forEach((name, value) -> parameters.add(name + "=" + encoded(value).replace("%2F", "/")));
        return "postgres://" + user.map(name -> encoded(name) + word + "@").orElse(word.isEmpty() ? "" : word + "@")
                + hosts + "/" + encoded(database) + (parameters.isEmpty() ? "" : "?" + String.join("&", parameters))
                + (volume.isEmpty() ? "" : "#" + volume);
    }

    /** The URL for the driver; the rest are properties. */
    String jdbc() {
        return "jdbc:postgresql://" + hosts + "/" + encoded(database);
    }

    /** The schema that holds the volume. Within PostgreSQL's limit on names. */
    String schema() {
        if (volume.isEmpty()) {
            throw new IllegalArgumentException("%s does not name a volume: append #name".formatted(this));
        }
        return PREFIX + volume;
    }

    /** The token by whose role this connects, if any: also the name of that role, and of the schema it may use. */
    public Optional<String> token() {
        return user.filter(name -> name.startsWith(TOKEN));
    }

    /** The schema in use: that of the volume, or that of the token. */
    String access() {
        return token().orElseGet(this::schema);
    }

    /** The prefix of the roles of tokens. */
    static final String TOKEN = "volsh_token_";

    /** The prefix of the schemas of volumes. */
    static final String PREFIX = "volsh_";

    /** The names of volumes among the names of schemas. */
    static List<String> volumes(List<String> schemas) {
        return schemas.stream()
                .filter(schema -> schema.startsWith(PREFIX))
                .map(schema -> schema.substring(PREFIX.length()))
                .filter(name -> !name.isEmpty() && VOLUME.matcher(name).matches())
                .sorted()
                .toList();
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20");
    }
}
