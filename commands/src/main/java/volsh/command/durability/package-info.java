/** How safe files are, and waiting until they are safer. */
package volsh.command.durability;
