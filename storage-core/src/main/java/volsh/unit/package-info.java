/**
 * Quantities as people write them: sizes, rates, spans of time and percentages. Parsing is strict and says what to try;
 * printing is for people, with an exact form beside it. And the times of many calls as percentiles. Knows nothing.
 */
@NullMarked
package volsh.unit;

import org.jspecify.annotations.NullMarked;
