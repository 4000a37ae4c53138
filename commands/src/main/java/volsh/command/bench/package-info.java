/** Commands that measure storage, save the results in the home, and compare them. */
package volsh.command.bench;
