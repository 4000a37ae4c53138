/**
 * Why a job waits: what a mount and the machine did in a few seconds, as numbers ({@code Sample}), and from them which stage is the narrowest, with the
 * evidence, the command that helps and what it may bring ({@code Diagnosis}). Measures nothing by itself.
 */
@NullMarked
package volsh.doctor;

import org.jspecify.annotations.NullMarked;
