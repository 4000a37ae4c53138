/** Commands that have volumes mounted when the machine starts. */
package volsh.command.service;
