package volsh.view;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import volsh.dataset.DatasetDirectory;

/** The directory of a view: what may be in it, and removing it. */
public final class ViewDirectory {
    private static final List<String> OTHERS = List.of(ShardView.FILE, "classes.json");

    private final DatasetDirectory directory;

    public ViewDirectory(DatasetDirectory directory) {
        this.directory = directory;
    }

    /** The files in it that belong to no view, and so keep one from being made or removed here. */
    public List<String> strangers() throws IOException {
        var strangers = new ArrayList<String>();
        for (var name : directory.names("")) {
            if (!OTHERS.contains(name) && !name.matches(".+-[0-9]{6}\\.tar(\\.idx)?")) {
                strangers.add(name);
            }
        }
        return strangers;
    }

    /** Removes the files of the view, the description first, and the directory. */
    public void remove() throws IOException {
        directory.delete(ShardView.FILE);
        for (var name : directory.names("")) {
            directory.delete(name);
        }
        directory.delete("");
        directory.sync(List.of());
    }
}
