/**
 * The commands that look at, check and empty cache directories, also while mounts use them. Knows nothing of how frames
 * are kept.
 */
package volsh.command.cache;
