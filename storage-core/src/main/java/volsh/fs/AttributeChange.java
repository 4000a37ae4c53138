package volsh.fs;

import java.util.OptionalInt;
import java.util.OptionalLong;

/** The attributes that {@code setattr} changes, apart from the size: empty ones stay as they are. */
public record AttributeChange(OptionalInt mode, OptionalInt uid, OptionalInt gid, OptionalLong atime,
        OptionalLong mtime) {
    public static final AttributeChange NONE = new AttributeChange(
            OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), OptionalLong.empty(), OptionalLong.empty());

    public AttributeChange withMode(int value) {
        return new AttributeChange(OptionalInt.of(value & 07777), uid, gid, atime, mtime);
    }

    public AttributeChange withOwner(Owner owner) {
        return new AttributeChange(mode, OptionalInt.of(owner.uid()), OptionalInt.of(owner.gid()), atime, mtime);
    }

    public AttributeChange withUid(int value) {
        return new AttributeChange(mode, OptionalInt.of(value), gid, atime, mtime);
    }

    public AttributeChange withGid(int value) {
        return new AttributeChange(mode, uid, OptionalInt.of(value), atime, mtime);
    }

    public AttributeChange withAtime(long nanos) {
        return new AttributeChange(mode, uid, gid, OptionalLong.of(nanos), mtime);
    }

    public AttributeChange withMtime(long nanos) {
        return new AttributeChange(mode, uid, gid, atime, OptionalLong.of(nanos));
    }

    public boolean changesOwner() {
        return uid.isPresent() || gid.isPresent();
    }
}
