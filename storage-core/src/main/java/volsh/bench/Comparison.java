package volsh.bench;

import java.util.ArrayList;
import java.util.List;

/** A phase of one run compared with the same phase of another. {@code change} is in percent, negative for slower. */
public record Comparison(String phase, int threads, double before, double after, double change, boolean bytes) {

    /** The phases both have, in their order. */
    public static List<Comparison> of(Run before, Run after) {
        var rows = new ArrayList<Comparison>();
        for (var one : before.rows()) {
            for (var other : after.rows()) {
                if (one.phase().equals(other.phase()) && one.threads() == other.threads()
                        && one.each().equals(other.each())) {
                    double change = 100 * (other.speed() / Math.max(Double.MIN_NORMAL, one.speed()) - 1);
                    rows.add(new Comparison(one.phase(), one.threads(), one.speed(), other.speed(),
                            Math.round(change * 10) / 10.0, one.bytes().bytes() > 0));
                    break;
                }
            }
        }
        return rows;
    }
}
