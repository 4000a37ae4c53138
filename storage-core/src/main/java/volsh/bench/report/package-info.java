/**
 * Benchmark runs as a self-contained HTML page: plots are drawn as SVG here, there is no script in it, and nothing is
 * loaded. Whatever comes from a run is escaped.
 */
@NullMarked
package volsh.bench.report;

import org.jspecify.annotations.NullMarked;
