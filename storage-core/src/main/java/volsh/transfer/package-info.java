/**
 * Moving trees of files: into volumes, out of them, within and between them, and walking and removing them. Many files
 * at a time, each of them whole or not there. Knows open volumes, local files, and nothing of commands.
 */
package volsh.transfer;
