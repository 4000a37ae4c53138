/** The name of a home, so that nobody mistakes one for another, and whether changes in it are asked about. */
package volsh.command.context;
