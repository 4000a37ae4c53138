/**
 * Blocks as objects of an S3 bucket, at Amazon or at any server that speaks the protocol. Requests for single objects
 * are HTTP/1.1 of its own; credentials, regions, host names and rare requests are the AWS SDK's, which no other package
 * knows. Nothing here is loaded before the first S3 store is opened.
 */
@NullMarked
package volsh.block.s3;

import org.jspecify.annotations.NullMarked;
