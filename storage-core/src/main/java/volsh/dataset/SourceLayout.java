package volsh.dataset;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** How a source tells the samples apart, and their classes. */
public enum SourceLayout {
    /**
     * The first directory of a path is the class: {@code n01440764/a.jpg}. Files beside the directories are no samples.
     */
    IMAGE_FOLDER("class = directory (ImageFolder)"),
    /** Files with one path up to the first dot of their names are a sample: {@code a.jpg}, {@code a.cls}. */
    GROUPED("files with the same name up to the first dot are a sample"),
    /** A manifest, or patterns, say what a sample and its class are. */
    SAID("keys and classes as given");

    private static final Set<String> LABELS = Set.of("cls", "label", "json", "txt");
    private static final int STRAY_MAX = 16;
    private static final int STRAY_SHARE = 100;

    private final String meaning;

    SourceLayout(String meaning) {
        this.meaning = meaning;
    }

    /** The rule in a few words. */
    public String meaning() {
        return meaning;
    }

    /**
     * ImageFolder if the files are in directories, but for a few, and none of them is a label; else grouped. A class of
     * a manifest or a pattern decides without looking.
     */
    public static SourceLayout of(ScannedFiles files) {
        int top = 0;
        var directories = new TreeSet<String>();
        for (int file = 0; file < files.count(); file++) {
            if (!files.label(file).isEmpty()) {
                return SAID;
            }
            if (LABELS.contains(files.extension(file).toLowerCase(Locale.ROOT)) && files.path(file).contains("/")) {
                return GROUPED;
            }
            int slash = files.path(file).indexOf('/');
            if (slash < 0) {
                top++;
            } else {
                directories.add(files.path(file).substring(0, slash));
            }
        }
        int stray = Math.min(STRAY_MAX, files.count() / STRAY_SHARE + 1);
        return directories.size() > 1 && top <= stray ? IMAGE_FOLDER : GROUPED;
    }
}
