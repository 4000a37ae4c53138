/** A time limit for every test of every module: a test that hangs fails, and says what all threads were doing. */
package volsh.hang;
