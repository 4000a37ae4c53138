/**
 * What volsh serves over HTTP: {@link volsh.command.web.WebServer} with its protection, and the console, a read-only
 * page that shows live what commands answer.
 */
@NullMarked
package volsh.command.web;

import org.jspecify.annotations.NullMarked;
