/** The commands about volumes as a whole: {@code volume create|ensure|list|show|set|rename|destroy} and {@code df}. */
package volsh.command.volume;
