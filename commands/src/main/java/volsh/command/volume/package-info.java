/** Commands for whole volumes: {@code volume create|ensure|list|show|set|rename|destroy} and {@code df}. */
package volsh.command.volume;
