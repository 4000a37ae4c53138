/** Where the program starts: one-off commands, the prompt and scripts all enter here and call the same commands. */
package volsh.shell;
