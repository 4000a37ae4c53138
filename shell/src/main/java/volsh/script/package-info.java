/**
 * Groovy as the language of scripts and entries. {@link volsh.script.GroovyLanguage} compiles each text once and keeps
 * what entries declare; {@link volsh.script.VolshScript} is the vocabulary, in which every command of the tree is a
 * method that returns typed values. Nothing here is loaded by a program that runs one command.
 */
@NullMarked
package volsh.script;

import org.jspecify.annotations.NullMarked;
