/** Measuring storage: benches of directories, their results kept in the home, and comparing them. */
package volsh.command.bench;
