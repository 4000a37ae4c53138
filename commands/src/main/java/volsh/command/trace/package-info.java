/** Commands about traces, what programs asked of a mount: recording, looking at, doing again, and trying other caches on them. */
package volsh.command.trace;
