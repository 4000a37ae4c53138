/**
 * Why a job waits: what a mount and the machine did in a few seconds, as numbers ({@code ActivitySample}), and from
 * them the narrowest stage, with the evidence, a command that helps and its possible gain ({@code Diagnosis}). Measures
 * nothing by itself.
 */
@NullMarked
package volsh.doctor;

import org.jspecify.annotations.NullMarked;
