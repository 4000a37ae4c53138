package volsh.object;

import java.time.Instant;
import java.util.Map;

/**
 * What is known of an object.
 *
 * @param etag names this state of the object, with the quotation marks of HTTP removed; empty if the server sends none
 * @param metadata the user's own headers, names in lower case; empty in listings, which do not have them
 */
public record ObjectInfo(String key, long size, Instant modified, String etag, Map<String, String> metadata) {
    public ObjectInfo {
        metadata = Map.copyOf(metadata);
    }
}
