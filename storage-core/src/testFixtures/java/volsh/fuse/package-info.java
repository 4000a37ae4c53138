/** Mounts in tests. */
package volsh.fuse;
