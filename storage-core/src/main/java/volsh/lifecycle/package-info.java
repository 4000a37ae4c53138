/** How volumes come and go: created, attached, detached, destroyed. */
package volsh.lifecycle;
