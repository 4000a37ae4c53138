/** Commands that watch mounts: {@code doctor} says why a job waits, {@code stats} and {@code top} show all mounts, {@code metrics} tells them to Prometheus. */
package volsh.command.doctor;
