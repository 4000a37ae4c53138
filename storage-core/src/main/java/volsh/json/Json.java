package volsh.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads and writes values. */
public final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** Maps in their order, lists, numbers, booleans, null; everything else as text. Ends with a newline. */
    public static byte[] write(Object value) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = FACTORY.createGenerator(bytes).useDefaultPrettyPrinter()) {
            write(out, value);
        }
        bytes.write('\n');
        return bytes.toByteArray();
    }

    /** The same on one line. */
    public static byte[] line(Object value) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = FACTORY.createGenerator(bytes)) {
            write(out, value);
        }
        bytes.write('\n');
        return bytes.toByteArray();
    }

    private static void write(JsonGenerator out, Object value) throws IOException {
        if (value == null) {    // a switch over types would take every command some milliseconds to link
            out.writeNull();
        } else if (value instanceof Map<?, ?> map) {
            out.writeStartObject();
            for (var field : map.entrySet()) {
                out.writeFieldName(field.getKey().toString());
                write(out, field.getValue());
            }
            out.writeEndObject();
        } else if (value instanceof List<?> list) {
            out.writeStartArray();
            for (Object item : list) {
                write(out, item);
            }
            out.writeEndArray();
        } else if (value instanceof Long || value instanceof Integer) {
            out.writeNumber(((Number) value).longValue());
        } else if (value instanceof Double number) {
            out.writeNumber(number);
        } else if (value instanceof Boolean flag) {
            out.writeBoolean(flag);
        } else {
            out.writeString(value.toString());
        }
    }

    /** @throws IOException if it is not a single JSON object, or a number is too large */
    public static Fields read(byte[] bytes) throws IOException {
        try (var in = FACTORY.createParser(bytes)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("not a JSON object");
            }
            var object = object(in);
            if (in.nextToken() != null) {
                throw new IOException("more than one JSON object");
            }
            return new Fields(object);
        }
    }

    /**
     * Any value, not only an object.
     *
     * @throws IOException if that is not one JSON value, or a number is too large to keep
     */
    public static @Nullable Object readValue(byte[] bytes) throws IOException {
        try (var in = FACTORY.createParser(bytes)) {
            in.nextToken();
            Object value = value(in);
            if (in.nextToken() != null) {
                throw new IOException("more than one JSON value");
            }
            return value;
        }
    }

    private static Map<String, Object> object(JsonParser in) throws IOException {
        var object = new LinkedHashMap<String, Object>();
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            in.nextToken();
            object.put(name, value(in));
        }
        return object;
    }

    private static @Nullable Object value(JsonParser in) throws IOException {
        var token = in.currentToken();
        if (token == null) {   // not as a case: linking that at run time takes longer than reading the file
            throw new IOException("unexpected end of JSON");
        }
        return switch (token) {
            case START_OBJECT -> object(in);
            case START_ARRAY -> {
                var list = new ArrayList<Object>();
                while (in.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(in));
                }
                yield list;
            }
            case VALUE_NUMBER_INT -> in.getLongValue();
            case VALUE_NUMBER_FLOAT -> in.getDoubleValue();
            case VALUE_STRING -> in.getText();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new IOException("unexpected " + token);
        };
    }
}
