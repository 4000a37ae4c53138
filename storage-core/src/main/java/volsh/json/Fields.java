package volsh.json;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The fields of an object. A missing field, or one of another type, is an {@link IOException} that names it. */
public record Fields(Map<String, Object> values) {
    public Fields {
        values = Collections.unmodifiableMap(values);
    }

    public String text(String name) throws IOException {
        return field(name, String.class);
    }

    public long number(String name) throws IOException {
        return field(name, Long.class);
    }

    /** A number with or without a fraction. */
    public double real(String name) throws IOException {
        return field(name, Number.class).doubleValue();
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    public Fields fields(String name) throws IOException {
        return fields(field(name, Map.class), name);
    }

    /** A list of objects. */
    public List<Fields> list(String name) throws IOException {
        var list = new ArrayList<Fields>();
        for (Object item : (List<?>) field(name, List.class)) {
            list.add(fields(item, name));
        }
        return list;
    }

    @SuppressWarnings("unchecked")      // the parser creates no other maps
    private static Fields fields(Object value, String name) throws IOException {
        if (value instanceof Map<?, ?> map) {
            return new Fields((Map<String, Object>) map);
        }
        throw new IOException("field '%s' is not a list of objects".formatted(name));
    }

    private <T> T field(String name, Class<T> type) throws IOException {
        Object value = values.get(name);
        if (!type.isInstance(value)) {
            throw new IOException(value == null ? "missing field '%s'".formatted(name)
                    : "field '%s' has the wrong type".formatted(name));
        }
        return type.cast(value);
    }
}
