/** JSON as plain values: maps, lists, strings, numbers, booleans. For small files that people may want to read. */
package volsh.json;
