/** Commands about how fresh what mounts show has to be. Knows volumes and their paths; policies are {@link volsh.meta.Consistency}. */
package volsh.command.consistency;
