package volsh.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import volsh.fs.AccessList;
import volsh.fs.FsException;
import volsh.vfs.Vfs;

/**
 * Copies extended attributes of files; the tally counts the files with attributes that cannot be kept. {@code all}:
 * those of every namespace, as far as permitted.
 */
record KeptAttributes(TransferTally tally, boolean all) {
    /** From a local file to one of a volume, except what {@link #putInherited} keeps. */
    void put(Path source, Vfs vfs, long target) throws IOException {
        var lost = new HashSet<String>();
        for (var name : LocalAttributes.names(source)) {
            if (all && name.equals(AccessList.DEFAULT)) {
                continue;
            }
            var value = LocalAttributes.isKept(name, all) ? LocalAttributes.value(source, name)
                    : Optional.<byte[]>empty();
            if (value.isEmpty() || !set(vfs, target, bytes(name), value.get())) {
                lost.add(LocalAttributes.kind(name));
            }
        }
        lost.forEach(tally::unkept);
    }

    /** The list that files made in a directory inherit; once those that are copied are there, which do not. */
    void putInherited(Path source, Vfs vfs, long target) throws IOException {
        if (all && LocalAttributes.names(source).contains(AccessList.DEFAULT)) {
            var list = LocalAttributes.value(source, AccessList.DEFAULT);
            if (list.isEmpty() || !set(vfs, target, AccessList.defaultName(), list.get())) {
                tally.unkept(LocalAttributes.kind(AccessList.DEFAULT));
            }
        }
    }

    /** From a file of a volume to a local one. */
    void get(Vfs vfs, long source, Path target) throws IOException {
        var lost = new HashSet<String>();
        for (byte[] raw : vfs.extendedAttributeNames(source)) {
            var name = new String(raw, StandardCharsets.ISO_8859_1);
            if (!LocalAttributes.isKept(name, all)
                    || !LocalAttributes.set(target, name, vfs.extendedAttribute(source, raw))) {
                lost.add(LocalAttributes.kind(name));
            }
        }
        lost.forEach(tally::unkept);
    }

    /** From volume to volume, except what {@link #copyInherited} keeps. */
    void copy(Vfs from, long source, Vfs to, long target) throws IOException {
        var lost = new HashSet<String>();
        for (byte[] name : from.extendedAttributeNames(source)) {
            if (!AccessList.isDefault(name) && !set(to, target, name, from.extendedAttribute(source, name))) {
                lost.add(LocalAttributes.kind(new String(name, StandardCharsets.ISO_8859_1)));
            }
        }
        lost.forEach(tally::unkept);
    }

    /** As {@link #putInherited}. */
    void copyInherited(Vfs from, long source, Vfs to, long target) throws IOException {
        for (byte[] name : from.extendedAttributeNames(source)) {
            if (AccessList.isDefault(name)) {
                to.setExtendedAttribute(target, name, from.extendedAttribute(source, name), true, true);
            }
        }
    }

    /** Sets it; false if the volume refuses, as there are too many, or too large ones. */
    private static boolean set(Vfs vfs, long ino, byte[] name, byte[] value) throws IOException {
        try {
            vfs.setExtendedAttribute(ino, name, value, true, true);
            return true;
        } catch (FsException refused) {
            return switch (refused.error()) {
                case NO_SPACE, INVALID, NOT_SUPPORTED, RANGE -> false;
                default -> throw refused;
            };
        }
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.ISO_8859_1);
    }
}
