/**
 * Placement of the parts of blocks on stores: layouts and policies, mirrors and erasure coding, failing and returning
 * stores, and repair. Knows stores and quantities; the metadata is reached through {@link
 * volsh.place.PlacementRecords}.
 */
@NullMarked
package volsh.place;

import org.jspecify.annotations.NullMarked;
