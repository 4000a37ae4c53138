/** Commands that compute the storage needs of a job. They change nothing, and every answer shows its formula. */
package volsh.command.plan;
