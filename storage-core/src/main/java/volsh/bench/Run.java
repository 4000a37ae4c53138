package volsh.bench;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A bench as it was run once.
 *
 * @param id     of this home, such as {@code 20261116-153012-seqread}
 * @param target what was measured
 * @param facts  how, and on what machine
 */
public record Run(String id, Instant when, String profile, String target, Map<String, String> facts, List<Measurement> rows) {
    public Run {
        facts = Map.copyOf(facts);
        rows = List.copyOf(rows);
    }
}
