/**
 * Encodes raw bytes as stored blocks and decodes them: header, frame index, frames, checksums and compression. Every
 * frame can be verified and decoded alone, and nothing in a stored block is trusted before it was checked. The bytes
 * are specified in {@code docs/FORMAT.md}. Knows nothing of where blocks are kept.
 */
@NullMarked
package volsh.codec;

import org.jspecify.annotations.NullMarked;
