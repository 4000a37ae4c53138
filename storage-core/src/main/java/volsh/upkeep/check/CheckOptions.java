package volsh.upkeep.check;

import java.util.OptionalLong;

/** How thoroughly to look. {@code deep}: every block is read. {@code below}: only blocks of files in this directory are, and only they are told. */
public record CheckOptions(boolean deep, OptionalLong below) {
    public static final CheckOptions QUICK = new CheckOptions(false, OptionalLong.empty());
    public static final CheckOptions DEEP = new CheckOptions(true, OptionalLong.empty());
}
