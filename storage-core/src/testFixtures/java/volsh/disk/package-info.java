/** Disks for tests: in memory, with power loss, failing calls and a limited capacity. */
package volsh.disk;
