/**
 * Files of a volume whose bytes stay in objects of a bucket: makes them of a listing, follows changes of the bucket
 * when asked to, and reads them, each get with the ETag that was imported. Never writes to a bucket.
 */
@NullMarked
package volsh.imported;

import org.jspecify.annotations.NullMarked;
