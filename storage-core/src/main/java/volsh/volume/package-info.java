/**
 * Volumes as people use them: {@link volsh.volume.Volumes} is the front door for commands and scripts alike, and
 * {@link volsh.volume.VolumeOpening} the one place where an open {@link volsh.volume.Volume} is put together. May know
 * everything below.
 */
@NullMarked
package volsh.volume;

import org.jspecify.annotations.NullMarked;
