/** Stored frames in files on local disks: a cache directory, its pins, and several directories as one tier. */
package volsh.cache.disk;
