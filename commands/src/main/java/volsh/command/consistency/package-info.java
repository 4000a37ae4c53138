/** Commands that set how fresh mounts show data, by directory; policies are {@link volsh.meta.Consistency}. */
package volsh.command.consistency;
