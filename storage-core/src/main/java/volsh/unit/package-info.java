/**
 * Quantities as people write them: sizes, rates, spans of time and percentages. Parsing is strict and suggests what to
 * try; printing is for people, with an exact form beside it. Also latency histograms. Knows nothing.
 */
@NullMarked
package volsh.unit;

import org.jspecify.annotations.NullMarked;
