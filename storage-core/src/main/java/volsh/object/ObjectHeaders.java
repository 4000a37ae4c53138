package volsh.object;

import java.util.Map;

/**
 * What is stored beside the bytes of an object.
 *
 * @param type the content type; empty for the default
 * @param metadata the user's own headers: names of lower-case letters, digits and hyphens; printable ASCII values
 */
public record ObjectHeaders(String type, Map<String, String> metadata) {
    public static final ObjectHeaders NONE = new ObjectHeaders("", Map.of());

    public ObjectHeaders {
        metadata = Map.copyOf(metadata);
    }

    public static ObjectHeaders of(Map<String, String> metadata) {
        return new ObjectHeaders("", metadata);
    }
}
