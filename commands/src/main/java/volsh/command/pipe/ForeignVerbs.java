package volsh.command.pipe;

import java.util.Map;
import java.util.Optional;

/** Words of other shells and languages behind a bar, and what does the same here. */
final class ForeignVerbs {
    private static final Map<String, String> MEANT = Map.ofEntries(
            Map.entry("length", "count"), Map.entry("len", "count"), Map.entry("size", "count"),
            Map.entry("wc", "count"), Map.entry("sort-by", "sort COLUMN"), Map.entry("order", "sort COLUMN"),
            Map.entry("orderby", "sort COLUMN"), Map.entry("order-by", "sort COLUMN"),
            Map.entry("group-by", "group COLUMN"), Map.entry("groupby", "group COLUMN"),
            Map.entry("histogram", "group COLUMN | sort -count"), Map.entry("take", "first N"),
            Map.entry("head", "first N"), Map.entry("limit", "first N"), Map.entry("top", "sort -COLUMN | first N"),
            Map.entry("tail", "last N"), Map.entry("drop", "skip N"), Map.entry("filter", "where CONDITION"),
            Map.entry("find", "grep REGEX"), Map.entry("match", "grep REGEX"), Map.entry("map", "each { CODE }"),
            Map.entry("collect", "each { CODE }"), Map.entry("foreach", "each { CODE }"),
            Map.entry("distinct", "uniq"), Map.entry("unique", "uniq"), Map.entry("project", "select A,B"),
            Map.entry("cut", "select A,B"), Map.entry("fields", "select A,B"), Map.entry("insert", "add NAME { CODE }"),
            Map.entry("update", "add NAME { CODE }"), Map.entry("upsert", "add NAME { CODE }"),
            Map.entry("extend", "add NAME { CODE }"), Map.entry("average", "avg COLUMN"),
            Map.entry("mean", "avg COLUMN"), Map.entry("math", "sum COLUMN; or: | avg COLUMN, min, max"),
            Map.entry("save", "tee FILE; or: > FILE"), Map.entry("convert", "to FORMAT"),
            Map.entry("describe", "columns"), Map.entry("any", "where { CODE } | count"),
            Map.entry("all", "where { !(CODE) } | count"), Map.entry("is-empty", "count"),
            Map.entry("enumerate", "each { CODE }"), Map.entry("flatten", "each { CODE }"),
            Map.entry("str", "each { CODE }"), Map.entry("split", "each { CODE }"), Map.entry("lines", "from lines"),
            Map.entry("table", "to table"), Map.entry("json", "to json"), Map.entry("csv", "to csv"),
            Map.entry("yaml", "to yaml"), Map.entry("jq", "to json | !jq ."), Map.entry("awk", "to tsv | !awk ..."),
            Map.entry("sed", "to tsv | !sed ..."), Map.entry("less", "to table | !less"),
            Map.entry("more", "to table | !less"), Map.entry("xargs", "each { CODE }"));

    private ForeignVerbs() {}

    static Optional<String> meant(String word) {
        return Optional.ofNullable(MEANT.get(word));
    }
}
