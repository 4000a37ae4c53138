package volsh.upkeep.dump;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.json.Fields;

/**
 * The first line of a dump. {@code record} is the volume's record as text; numbers from {@code nextInode} and {@code
 * nextBlock} on were never used. Stores are in the order of their numbers; a removed one leaves a dash.
 */
public record DumpHeader(String record, List<String> storeUrls, long tick, long nextInode, long nextBlock) {
    static final String MAGIC = "volsh-dump";
    static final long FORM = 1;

    public DumpHeader {
        storeUrls = List.copyOf(storeUrls);
    }

    Map<String, Object> toJson() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("dump", MAGIC);
        fields.put("form", FORM);
        fields.put("tick", tick);
        fields.put("nextInode", nextInode);
        fields.put("nextBlock", nextBlock);
        fields.put("storeUrl", storeUrls.getFirst());
        if (storeUrls.size() > 1) {
            fields.put("storeUrls", String.join("\n", storeUrls));
        }
        fields.put("volume", record);
        return fields;
    }

    static DumpHeader of(Fields fields) throws IOException {
        if (!MAGIC.equals(fields.values().get("dump"))) {
            throw new IOException("this is not a dump of a volume");
        }
        if (fields.number("form") != FORM) {
            throw new IOException("unsupported dump format %d: this volsh supports %d; upgrade volsh"
                    .formatted(fields.number("form"), FORM));
        }
        long nextInode = fields.number("nextInode");
        long nextBlock = fields.number("nextBlock");
        if (nextInode < 2 || nextBlock < 2 || fields.number("tick") < 0) {
            throw new IOException("invalid numbers in the header");
        }
        return new DumpHeader(fields.text("volume"), urls(fields), fields.number("tick"), nextInode, nextBlock);
    }

    private static List<String> urls(Fields fields) throws IOException {
        return fields.has("storeUrls") ? List.of(fields.text("storeUrls").split("\n"))
                : List.of(fields.text("storeUrl"));
    }
}
