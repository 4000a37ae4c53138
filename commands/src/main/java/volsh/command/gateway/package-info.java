/** The commands that serve volumes over S3, and those about their access keys. */
package volsh.command.gateway;
