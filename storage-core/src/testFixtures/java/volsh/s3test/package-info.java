/**
 * A real S3 server as a process of its own, and a proxy before it that does what networks and overloaded servers do.
 */
package volsh.s3test;
