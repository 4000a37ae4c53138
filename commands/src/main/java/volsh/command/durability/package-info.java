/** Commands that show the durability of files, and wait for it. */
package volsh.command.durability;
