package volsh.volume;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** JSON objects of texts and objects of texts: all that the catalog's files hold. */
final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    static byte[] write(Map<String, ?> object) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = FACTORY.createGenerator(bytes).useDefaultPrettyPrinter()) {
            write(out, object);
        }
        bytes.write('\n');
        return bytes.toByteArray();
    }

    private static void write(JsonGenerator out, Map<?, ?> object) throws IOException {
        out.writeStartObject();
        for (var field : object.entrySet()) {
            out.writeFieldName(field.getKey().toString());
            if (field.getValue() instanceof Map<?, ?> nested) {
                write(out, nested);
            } else {
                out.writeString(field.getValue().toString());
            }
        }
        out.writeEndObject();
    }

    static Map<String, Object> read(byte[] bytes) throws IOException {
        try (var in = FACTORY.createParser(bytes)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("not a JSON object");
            }
            return object(in);
        }
    }

    private static Map<String, Object> object(JsonParser in) throws IOException {
        var fields = new LinkedHashMap<String, Object>();
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            var token = in.nextToken();
            if (token == JsonToken.START_OBJECT) {
                fields.put(name, object(in));
            } else if (token != null && token.isScalarValue()) {
                fields.put(name, in.getText());
            } else {
                throw new IOException("unexpected %s in field '%s'".formatted(token, name));
            }
        }
        return fields;
    }
}
