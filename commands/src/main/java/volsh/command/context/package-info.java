/** Commands that name a home, so that homes are not confused, and protect it by confirmations. */
package volsh.command.context;
