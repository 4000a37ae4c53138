package volsh.meta;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import volsh.engine.Keys;
import volsh.engine.MetaKey;
import volsh.fs.BlockRow;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.NewFile;
import volsh.meta.NodeRow.Storage;

/** Creates whole files within one change, replacing files of the same names. */
final class Creation {
    private final Edit edit;

    Creation(Edit edit) {
        this.edit = edit;
    }

    /** One result per file: empty if created, otherwise the error. The block is introduced if any file uses it. */
    List<Optional<FsError>> run(List<NewFile> files, List<Long> inos, Optional<BlockRow> block) throws IOException {
        var keys = new LinkedHashSet<MetaKey>();
        for (var file : files) {
            keys.add(Keys.node(file.parent()));
            keys.add(Keys.entry(file.parent(), file.name()));
            keys.add(ExtendedAttributes.AccessLists.inherited(file.parent()));
        }
        edit.expectChange(keys.toArray(MetaKey[]::new));
        if (block.isPresent()) {
            edit.uses().introduce(block.get());
        }
        var answers = new ArrayList<Optional<FsError>>(files.size());
        for (int i = 0; i < files.size(); i++) {
            answers.add(tryMake(files.get(i), inos.get(i)));
        }
        return answers;
    }

    private Optional<FsError> tryMake(NewFile file, long ino) throws IOException {
        try {
            make(file, ino);
            return Optional.empty();
        } catch (FsException refused) {
            return Optional.of(refused.error());
        }
    }

    /** Checks everything before it writes anything. */
    void make(NewFile file, long ino) throws IOException {
        var directory = edit.directory(file.parent());
        var taken = edit.find(file.parent(), file.name());
        if (taken != null && taken.kind() == FileKind.DIRECTORY) {
            throw new FsException(FsError.IS_DIRECTORY);
        }
        if (taken != null && file.onlyNew()) {
            throw new FsException(FsError.EXISTS);
        }
        edit.holdDirectory(file.parent());
        if (taken != null) {
            new Removal(edit).replace(file.parent(), taken);
        }
        int mode = new ExtendedAttributes.AccessLists(edit).inherit(file.parent(), ino, FileKind.REGULAR,
                file.mode() & 07777);
        var node = node(file, directory, mode);
        edit.putNew(Keys.node(ino), node.toBytes());
        edit.put(Keys.entry(file.parent(), file.name()), View.entryRow(ino, FileKind.REGULAR));
        if (file.inline().isPresent() && file.size() > 0) {
            edit.putNew(Keys.inline(ino), file.inline().get());
        }
        if (file.extent().isPresent()) {
            var extent = file.extent().get();
            edit.putNew(Keys.extent(ino, extent.end()), View.extentRow(extent));
            edit.uses().add(extent.block());
        }
        if (file.attribute().isPresent()) {
            var attribute = file.attribute().get();
            edit.putNew(Keys.attribute(ino, attribute.name()), attribute.value());
        }
        edit.count(file.parent(), taken == null ? 1 : 0, 0);
        edit.use(ino, node, file.size(), 1);
    }

    private NodeRow node(NewFile file, NodeRow directory, int mode) {
        boolean inherits = (directory.mode() & 02000) != 0;
        var storage = file.extent().isPresent() ? Storage.EXTENTS : file.size() > 0 ? Storage.INLINE : Storage.NONE;
        return new NodeRow(
                FileKind.REGULAR, storage, mode, file.owner().uid(),
                inherits ? directory.gid() : file.owner().gid(), 1, 0, directory.project(), directory.layout(),
                file.parent(), file.size(), file.size(), time(file.atime()), time(file.mtime()), edit.now,
                NewFile.VERSION);
    }

    private long time(long given) {
        return given == NewFile.NOW ? edit.now : given;
    }
}
