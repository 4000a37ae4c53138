/**
 * Volumes as people use them: {@link volsh.volume.Volumes} is the front door for commands and scripts alike, the
 * catalog remembers names, and {@code Assembly} is the one place that names concrete engines and stores. May know
 * everything below.
 */
package volsh.volume;

import volsh.assembly.Assembly;
