/**
 * What can be said of a line while it is typed: where in it the cursor stands, what could stand there, what comes next, how
 * it is coloured, and which page of help is about it. All of it is pure: nothing is run, and but for live names, which are
 * asked for elsewhere, nothing is looked at.
 */
package volsh.command.typing;
