/** What every block store promises, as tests that a backend inherits. */
package volsh.block;
