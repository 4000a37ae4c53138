/** Commands that mount volumes when the machine starts. */
package volsh.command.service;
