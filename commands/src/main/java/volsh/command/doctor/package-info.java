/**
 * Commands that observe mounts: {@code doctor} finds why a job waits, {@code stats} and {@code top} show activity,
 * {@code metrics} serves Prometheus.
 */
@NullMarked
package volsh.command.doctor;

import org.jspecify.annotations.NullMarked;
