package volsh.meta.postgres;

import java.util.List;
import volsh.meta.MetaKey;

/** What is asked of the rows, in one round trip. */
sealed interface Question {
    /** The statement, whose parameters are the components. */
    String words();

    record Get(MetaKey key) implements Question {
        @Override
        public String words() {
            return "SELECT k, v, x FROM @schema@.kv WHERE k = ?";
        }
    }

    record GetAll(List<MetaKey> keys) implements Question {
        @Override
        public String words() {
            return "SELECT k, v, x FROM @schema@.kv WHERE k = ANY (?)";
        }
    }

    record Scan(MetaKey from, MetaKey to, int limit) implements Question {
        @Override
        public String words() {
            return "SELECT k, v, x FROM @schema@.kv WHERE k >= ? AND k < ? ORDER BY k LIMIT ?";
        }
    }
}
