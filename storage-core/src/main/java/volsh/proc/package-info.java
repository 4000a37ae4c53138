/** Reading of files that the kernel generates on the fly: /proc and /sys. */
package volsh.proc;
