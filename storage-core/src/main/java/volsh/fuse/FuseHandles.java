package volsh.fuse;

import java.io.IOException;

/** The open files and directories of a {@link FuseFileSystem}. */
public final class FuseHandles extends OpenHandles<FuseFile, FuseDirectory> {
    @Override
    protected void end(FuseFile file) throws IOException {
        file.close();
    }
}
