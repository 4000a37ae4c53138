package volsh.engine.postgres;

import java.util.List;
import volsh.engine.MetaEngine.Leads;
import volsh.engine.MetaKey;

/** A read of rows in one round trip. Values are followed by their checksums. */
sealed interface Question {
    /** The statement, whose parameters are the components. */
    String words();

    /** The same through the functions of a token, which may not read a table. */
    String scoped();

    record Get(MetaKey key) implements Question {
        @Override
        public String words() {
            return "SELECT k, v || c AS v, x FROM @schema@.kv WHERE k = ?";
        }

        @Override
        public String scoped() {
            return "SELECT k, v, x FROM @schema@.sealed_get_rows(ARRAY[?]::bytea[])";
        }
    }

    record GetAll(List<MetaKey> keys) implements Question {
        @Override
        public String words() {
            return "SELECT k, v || c AS v, x FROM @schema@.kv WHERE k = ANY (?)";
        }

        @Override
        public String scoped() {
            return "SELECT k, v, x FROM @schema@.sealed_get_rows(?)";
        }
    }

    /** Rows, and those that some of them refer to. */
    record GetNamed(List<MetaKey> keys, Leads leads) implements Question {
        @Override
        public String words() {
            return """
                    SELECT k, v || c AS v, x FROM @schema@.kv WHERE k = ANY (?)
                    UNION ALL SELECT n.k, n.v || n.c, n.x FROM @schema@.kv AS e JOIN @schema@.kv AS n ON n.k = ?::bytea || substr(e.v, ?, 8) WHERE e.k = ANY (?)""";
        }

        @Override
        public String scoped() {
            return """
                    SELECT k, v, x FROM @schema@.sealed_get_rows(?) UNION ALL SELECT n.k, n.v, n.x
                    FROM (SELECT ?::bytea, ?::integer, ?::bytea[]) AS p (kind, start, keys), LATERAL @schema@.sealed_get_rows(p.keys) AS e,
                        LATERAL @schema@.sealed_get_rows(ARRAY[p.kind || substr(e.v, p.start, 8)]) AS n""";
        }
    }

    record Scan(MetaKey from, MetaKey to, int limit) implements Question {
        @Override
        public String words() {
            return "SELECT k, v || c AS v, x FROM @schema@.kv WHERE k >= ? AND k < ? ORDER BY k LIMIT ?";
        }

        @Override
        public String scoped() {
            return "SELECT k, v, x FROM @schema@.sealed_scan_rows(?, ?, ?)";
        }
    }
}
