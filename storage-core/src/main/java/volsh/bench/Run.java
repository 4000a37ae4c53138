package volsh.bench;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * One run of a bench.
 *
 * @param id     unique in this home, such as {@code 20261116-153012-seqread}
 * @param target what was measured
 * @param facts  parameters and machine
 */
public record Run(String id, Instant when, String profile, String target, Map<String, String> facts,
        List<Measurement> rows) {
    public Run {
        facts = Map.copyOf(facts);
        rows = List.copyOf(rows);
    }
}
