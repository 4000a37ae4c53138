/** Commands that grant temporary access to a volume: {@code volsh token}. */
package volsh.command.token;
