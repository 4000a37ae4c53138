/**
 * Commands that observe mounts: {@code doctor} finds why a job waits, {@code stats} and {@code top} show activity,
 * {@code metrics} serves Prometheus.
 */
package volsh.command.doctor;
