package volsh.vfs;

/**
 * What volsh promises to programs, whichever way they reach it. Written in system calls, so that the same tests run on
 * a {@link Vfs} and on a mount. Everything is done as root: permissions are the kernel's business.
 */
public interface VfsContract
        extends NameContract, LinkContract, RenameContract, ListingContract, AttributeContract, TimeContract,
        ByteContract, HoleContract, CopyContract {}
