/**
 * One notion of a place: files on local disks, in volumes and in buckets, named, listed, read, written, removed and
 * copied by one interface. {@link volsh.tree.Places} reads what people write, {@link volsh.tree.OpenTrees} opens it as
 * a {@link volsh.tree.FileTree}.
 */
@NullMarked
package volsh.tree;

import org.jspecify.annotations.NullMarked;
