/**
 * Volumes as S3 buckets, for programs that read and write by S3: a key is a path, an object a file. Requests are signed
 * with access keys of this home (signature version 4). The HTTP server is the JDK's.
 */
@NullMarked
package volsh.gateway;

import org.jspecify.annotations.NullMarked;
