/** Commands that record, show and replay traces of requests to a mount, and simulate caches on them. */
package volsh.command.trace;
