/** A real PostgreSQL server as a process of its own, and a proxy before it that loses answers. */
package volsh.postgrestest;
