/**
 * Blocks as objects of an S3 bucket, at Amazon or at whoever speaks the protocol. The only package that knows the AWS
 * SDK; nothing here is loaded before the first S3 store is opened.
 */
package volsh.block.s3;
