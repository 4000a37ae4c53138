/** The commands {@code job …}: work in processes of its own, seen from anywhere. */
package volsh.command.job;
