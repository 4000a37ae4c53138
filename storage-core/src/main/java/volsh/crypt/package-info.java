/**
 * Encryption at rest: the key of a volume, keys derived from it for each use, sealing of small values, and wrappings,
 * which store the key encrypted under a passphrase or a key that the user keeps. Only algorithms of the Java runtime:
 * AES-256-GCM, HMAC-SHA256, PBKDF2. Keys never appear in messages, {@code toString} or arguments of processes.
 */
@NullMarked
package volsh.crypt;

import org.jspecify.annotations.NullMarked;
