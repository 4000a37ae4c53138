/**
 * Waiting in tests: a fixture to wait with, and a time limit for every test of every module, which says what all
 * threads were doing.
 */
package volsh.hang;
