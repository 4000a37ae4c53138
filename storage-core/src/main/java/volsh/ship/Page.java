package volsh.ship;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import volsh.engine.MetaEngine.Entry;
import volsh.engine.MetaKey;

/**
 * A range of rows as of one moment: all rows from {@code from} up to the next page's, after change {@code change} and
 * before the next. The pages of a base are from different moments; replaying the log makes them consistent, because it
 * applies a change to a row only if its page is older.
 */
record Page(MetaKey from, long change, List<Entry> rows) {
    void writeTo(Bytes out) {
        out.text(from.bytes()).number(change).number(rows.size());
        for (var row : rows) {
            out.text(row.key().bytes()).text(row.value());
        }
    }

    static Page read(ByteBuffer in) {
        var from = MetaKey.of(Bytes.text(in));
        long change = Bytes.number(in);
        var rows = new ArrayList<Entry>();
        for (long count = Bytes.number(in); count > 0; count--) {
            rows.add(new Entry(MetaKey.of(Bytes.text(in)), Bytes.text(in)));
        }
        return new Page(from, change, rows);
    }
}
