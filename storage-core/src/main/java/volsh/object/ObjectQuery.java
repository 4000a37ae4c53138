package volsh.object;

/**
 * What to list.
 *
 * @param prefix how the keys begin; may be empty
 * @param grouped whether keys with a further slash are grouped by what is before it
 * @param after only keys and common prefixes behind this text, in the order of UTF-8 bytes; empty for all
 * @param limit how many keys and common prefixes at most, 1 to 1000
 */
public record ObjectQuery(String prefix, boolean grouped, String after, int limit) {
    /** What servers return at most in one page. */
    public static final int LIMIT_MAX = 1000;

    public ObjectQuery {
        if (limit < 1 || limit > LIMIT_MAX) {
            throw new IllegalArgumentException("limit of a listing: " + limit);
        }
    }

    /** All keys that begin with the prefix, from the first page on. */
    public static ObjectQuery all(String prefix) {
        return new ObjectQuery(prefix, false, "", LIMIT_MAX);
    }

    /** What is directly below a prefix, which is empty or ends with a slash. */
    public static ObjectQuery directory(String prefix) {
        return new ObjectQuery(prefix, true, "", LIMIT_MAX);
    }

    /** The page that follows one which ended with {@code last}. */
    public ObjectQuery following(String last) {
        return new ObjectQuery(prefix, grouped, last, limit);
    }
}
