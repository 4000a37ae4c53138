/**
 * The past of the name space: past states to read, versions of a path, what was removed, copies of trees as of a
 * moment, and deleting history that nobody keeps.
 */
package volsh.history;
