/** Commands that give others access to a volume for a time: {@code volsh token}. */
package volsh.command.token;
