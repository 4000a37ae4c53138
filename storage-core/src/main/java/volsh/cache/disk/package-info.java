/**
 * Stored frames in files of local disks: a cache directory, what is pinned in it, and several of them as one tier.
 */
package volsh.cache.disk;
