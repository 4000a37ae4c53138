/**
 * How a typed result becomes text. A command says what its records are made of once, in {@link
 * volsh.command.render.Columns}; every format ({@code table wide json jsonl csv tsv yaml name value:FIELD}) is a small
 * {@link volsh.command.render.Renderer} over that. People see units and local times, programs see exact numbers and
 * UTC.
 */
@NullMarked
package volsh.command.render;

import org.jspecify.annotations.NullMarked;
