package volsh.upkeep.dump;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import volsh.fs.BlockRow;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.inventory.Row;
import volsh.json.Fields;
import volsh.meta.NodeRow;
import volsh.quota.Account;
import volsh.quota.QuotaRule;

/**
 * Converts rows to lines of a dump and back. Bytes are text if they are UTF-8, otherwise base64 in a field whose name
 * ends in {@code 64}.
 */
final class RowText {
    private RowText() {}

    static Map<String, Object> write(Row row) {
        var fields = new LinkedHashMap<String, Object>();
        switch (row) {
            case Row.Node node -> node(fields, node);
            case Row.Entry entry -> {
                begin(fields, "entry", "directory", entry.directory(), entry.since());
                bytes(fields, "name", entry.name());
                fields.put("ino", entry.ino());
                fields.put("kind", word(entry.kind()));
            }
            case Row.Run run -> {
                begin(fields, "extent", "ino", run.ino(), run.since());
                fields.put("end", run.end());
                fields.put("length", run.length());
                fields.put("block", run.block());
                fields.put("offset", run.offset());
            }
            case Row.Inline inline -> {
                begin(fields, "inline", "ino", inline.ino(), inline.since());
                fields.put("data64", Base64.getEncoder().encodeToString(inline.bytes()));
            }
            case Row.Target target -> {
                begin(fields, "target", "ino", target.ino(), target.since());
                bytes(fields, "target", target.bytes());
            }
            case Row.Attribute attribute -> {
                begin(fields, "attribute", "ino", attribute.ino(), attribute.since());
                bytes(fields, "name", attribute.name());
                fields.put("value64", Base64.getEncoder().encodeToString(attribute.value()));
            }
            case Row.Block(BlockRow block) -> block(fields, block);
            case Row.Quota(QuotaRule rule) -> {
                fields.put("row", "quota");
                fields.put("of", word(rule.account().kind()));
                fields.put(rule.account().isOwner() ? "id" : "project", rule.account().id());
                fields.put("bytes", rule.bytes());
                fields.put("inodes", rule.inodes());
                fields.put("directory", rule.directory());
            }
            case Row.Retention retention -> {
                fields.put("row", "retention");
                fields.put("seconds", retention.window());
            }
            case Row.Setting setting -> {
                fields.put("row", "setting");
                fields.put("name", setting.name());
                fields.put("value64", Base64.getEncoder().encodeToString(setting.value()));
            }
            case Row.Layout layout -> {
                fields.put("row", "layout");
                fields.put("number", layout.number());
                fields.put("text", layout.text());
            }
            case Row.Missing missing -> {
                fields.put("row", "missing");
                fields.put("store", missing.store());
                fields.put("block", missing.block());
            }
            default -> throw new IllegalArgumentException("not a row of a dump: " + row.getClass().getSimpleName());
        }
        return fields;
    }

    private static void begin(Map<String, Object> fields, String row, String of, long number, long since) {
        fields.put("row", row);
        fields.put(of, number);
        fields.put("since", since);
    }

    private static void node(Map<String, Object> fields, Row.Node node) {
        var row = node.row();
        begin(fields, "node", "ino", node.ino(), node.since());
        fields.put("kind", word(row.kind()));
        fields.put("storage", word(row.storage()));
        fields.put("mode", row.mode());
        fields.put("uid", row.uid());
        fields.put("gid", row.gid());
        fields.put("links", row.links());
        fields.put("device", row.device());
        fields.put("project", row.project());
        fields.put("layout", row.layout());
        fields.put("parent", row.parent());
        fields.put("size", row.size());
        fields.put("allocated", row.allocated());
        fields.put("atime", row.atime());
        fields.put("mtime", row.mtime());
        fields.put("ctime", row.ctime());
        fields.put("version", row.version());
    }

    private static void block(Map<String, Object> fields, BlockRow block) {
        fields.put("row", "block");
        fields.put("id", block.id());
        fields.put("raw", block.rawSize());
        fields.put("stored", block.storedSize());
        fields.put("layout", block.layout());
        fields.put("owner", block.owner());
        fields.put("index64", Base64.getEncoder().encodeToString(block.index()));
    }

    /** Adds the place of a block that is in a pack. */
    static void write(Map<String, Object> block, Row.Place place) {
        block.put("pack", place.pack());
        block.put("at", place.offset());
        block.put("length", place.length());
    }

    /** The place of the block, if it is in a pack. */
    static Optional<Row.Place> place(Fields block, long id) throws IOException {
        return block.has("pack")
                ? Optional.of(new Row.Place(id, number(block, "pack"), number(block, "at"), integer(block, "length")))
                : Optional.empty();
    }

    private static void bytes(Map<String, Object> fields, String name, byte[] bytes) {
        try {
            fields.put(name, StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException notText) {
            fields.put(name + "64", Base64.getEncoder().encodeToString(bytes));
        }
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    // ---- reading

    /** @throws IOException if it is not a row of a dump */
    static Row read(Fields fields) throws IOException {
        try {
            return switch (fields.text("row")) {
                case "node" -> new Row.Node(number(fields, "ino"), number(fields, "since"), node(fields));
                case "entry" -> new Row.Entry(number(fields, "directory"), Name.of(bytes(fields, "name")).bytes(),
                        number(fields, "since"), number(fields, "ino"), FileKind.valueOf(constant(fields, "kind")));
                case "extent" -> possible(new Row.Run(number(fields, "ino"), number(fields, "end"), number(fields,
                        "since"), number(fields, "length"), number(fields, "block"), number(fields, "offset")));
                case "inline" -> new Row.Inline(number(fields, "ino"), number(fields, "since"),
                        base64(fields, "data64"));
                case "target" -> new Row.Target(number(fields, "ino"), number(fields, "since"),
                        bytes(fields, "target"));
                case "attribute" -> new Row.Attribute(number(fields, "ino"), bytes(fields, "name"),
                        number(fields, "since"), base64(fields, "value64"));
                case "block" -> new Row.Block(new BlockRow(number(fields, "id"), number(fields, "raw"), number(fields,
                        "stored"), integer(fields, "layout"), number(fields, "owner"), base64(fields, "index64")));
                case "quota" -> new Row.Quota(new QuotaRule(account(fields), number(fields, "bytes"),
                        number(fields, "inodes"), number(fields, "directory")));
                case "retention" -> new Row.Retention(number(fields, "seconds"), new long[0]);
                case "layout" -> new Row.Layout(integer(fields, "number"), fields.text("text"));
                case "missing" -> new Row.Missing(integer(fields, "store"), number(fields, "block"));
                case "setting" -> setting(fields.text("name"), base64(fields, "value64"));
                default -> throw new IOException("unknown kind of row: " + fields.text("row"));
            };
        } catch (IllegalArgumentException | ArithmeticException nonsense) {
            throw new IOException(nonsense.getMessage(), nonsense);
        }
    }

    private static NodeRow node(Fields fields) throws IOException {
        return new NodeRow(FileKind.valueOf(constant(fields, "kind")),
                NodeRow.Storage.valueOf(constant(fields, "storage")), integer(fields, "mode"), id(fields, "uid"),
                id(fields, "gid"), integer(fields, "links"), id(fields, "device"), id(fields, "project"),
                id(fields, "layout"), number(fields, "parent"), number(fields, "size"), number(fields, "allocated"),
                fields.number("atime"), fields.number("mtime"), fields.number("ctime"), number(fields, "version"));
    }

    private static Account account(Fields fields) throws IOException {
        return new Account(Account.Kind.valueOf(constant(fields, "of")),
                number(fields, fields.has("id") ? "id" : "project"));
    }

    private static Row.Run possible(Row.Run run) throws IOException {
        if (!run.isPossible()) {
            throw new IOException("impossible extent");
        }
        return run;
    }

    private static Row setting(String name, byte[] value) throws IOException {
        if (DumpLoader.OWN_SETTINGS.contains(name) || !name.matches("[ -~]{1,200}")) {
            throw new IOException("not a setting of a dump: '%s'".formatted(name));
        }
        return new Row.Setting(name, value);
    }

    /** Not negative. */
    private static long number(Fields fields, String name) throws IOException {
        long value = fields.number(name);
        if (value < 0) {
            throw new IOException("'%s' is negative".formatted(name));
        }
        return value;
    }

    private static int integer(Fields fields, String name) throws IOException {
        return Math.toIntExact(number(fields, name));
    }

    /** Any 32 bits: user numbers go up to 2^32. */
    private static int id(Fields fields, String name) throws IOException {
        return Math.toIntExact(fields.number(name));
    }

    private static String constant(Fields fields, String name) throws IOException {
        return fields.text(name).toUpperCase(Locale.ROOT).replace('-', '_');
    }

    private static byte[] base64(Fields fields, String name) throws IOException {
        return Base64.getDecoder().decode(fields.text(name));
    }

    private static byte[] bytes(Fields fields, String name) throws IOException {
        return fields.has(name) ? fields.text(name).getBytes(StandardCharsets.UTF_8) : base64(fields, name + "64");
    }
}
