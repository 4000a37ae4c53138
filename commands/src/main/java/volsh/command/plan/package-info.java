/** Planning a job's storage with figures: nothing is read, nothing is changed; every answer says how it was computed. */
package volsh.command.plan;
