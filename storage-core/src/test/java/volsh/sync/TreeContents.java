package volsh.sync;

import java.io.IOException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import volsh.tree.FileTree;
import volsh.tree.TreeEntry;

/** What is in a tree: the size of every file, and the SHA-256 of its bytes. */
final class TreeContents {
    private TreeContents() {}

    static Map<String, String> of(FileTree tree) throws Exception {
        var all = new TreeMap<String, String>();
        if (tree.find("").isEmpty()) {
            return all;
        }
        var cursor = tree.below("");
        for (var entry = cursor.next(); entry != null; entry = cursor.next()) {
            if (entry.isRegular()) {
                all.put(entry.path(), entry.size() + " " + sha256(tree, entry));
            }
        }
        return all;
    }

    private static String sha256(FileTree tree, TreeEntry file) throws Exception {
        var digest = MessageDigest.getInstance("SHA-256");
        try (var reader = tree.open(file)) {
            reader.read(0, reader.size(), digest::update);
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
