package volsh.command.pipe;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Row;

/** Text that becomes values again: JSON, lines of JSON, and delimited text with a head line. */
final class Parsed {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Parsed() {}

    static Object from(String format, String text) {
        try {
            return switch (format) {
                case "json" -> unwrapped(json(text));
                case "jsonl" -> json(text);
                case "csv" -> delimited(text, ',');
                case "tsv" -> delimited(text, '\t');
                case "lines" -> text.lines().toList();
                default -> throw CommandFailure.usage(
                        "'" + format + "' is not a format of from (try json, jsonl, csv, tsv or lines)");
            };
        } catch (IOException wrong) {
            throw CommandFailure.usage("the input is not valid " + format).causedBy(wrong);
        }
    }

    private static Object unwrapped(List<Object> values) {
        return values.size() == 1 ? values.getFirst() : values;
    }

    /** Every value of the text, one after the other. */
    private static List<Object> json(String text) throws IOException {
        var values = new ArrayList<Object>();
        try (JsonParser parser = FACTORY.createParser(text)) {
            while (parser.nextToken() != null) {
                values.add(value(parser));
            }
        }
        return values;
    }

    private static Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getNumberValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }

    private static Row object(JsonParser parser) throws IOException {
        var fields = new LinkedHashMap<String, Object>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            fields.put(name, value(parser));
        }
        return Row.of(fields);
    }

    private static List<Object> array(JsonParser parser) throws IOException {
        var items = new ArrayList<Object>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(parser));
        }
        return items;
    }

    private static List<Row> delimited(String text, char delimiter) {
        List<List<String>> records = records(text, delimiter);
        var rows = new ArrayList<Row>();
        for (List<String> record : records.subList(Math.min(1, records.size()), records.size())) {
            Map<String, Object> fields = new LinkedHashMap<>();
            for (int i = 0; i < records.getFirst().size(); i++) {
                fields.put(records.getFirst().get(i), i < record.size() ? cell(record.get(i)) : null);
            }
            rows.add(Row.of(fields));
        }
        return rows;
    }

    /** A number where it is written as one; digits that name something, as {@code 007}, stay text. */
    private static Object cell(String text) {
        if (text.isEmpty()) {
            return null;
        }
        if (!text.matches("-?(0|[1-9]\\d{0,17})(\\.\\d{1,12})?")) {
            return text;
        }
        return text.contains(".") ? (Object) Double.valueOf(text) : Long.valueOf(text);
    }

    /** Fields may be in double quotes, which are doubled inside (RFC 4180). */
    private static List<List<String>> records(String text, char delimiter) {
        var records = new ArrayList<List<String>>();
        var record = new ArrayList<String>();
        var field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' && quoted && i + 1 < text.length() && text.charAt(i + 1) == '"') {
                field.append(text.charAt(++i));
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && (c == delimiter || c == '\n')) {
                record.add(field.toString());
                field.setLength(0);
                if (c == '\n') {
                    records.add(record);
                    record = new ArrayList<>();
                }
            } else if (c != '\r' || quoted) {
                field.append(c);
            }
        }
        if (!field.isEmpty() || !record.isEmpty()) {
            record.add(field.toString());
            records.add(record);
        }
        return records;
    }
}
