/**
 * Which store gets which part of which block: layouts and policies, mirrors and erasure coding, stores that fail and come back, and
 * how what is missing is put right again. Knows stores and quantities; what the metadata says comes through {@link volsh.place.PlacementRecords}.
 */
package volsh.place;
