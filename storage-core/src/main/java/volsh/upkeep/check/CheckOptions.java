package volsh.upkeep.check;

import java.util.OptionalLong;

/** How thorough a check is. {@code deep}: reads every block. {@code below}: only those of this directory. */
public record CheckOptions(boolean deep, OptionalLong below) {
    public static final CheckOptions QUICK = new CheckOptions(false, OptionalLong.empty());
    public static final CheckOptions DEEP = new CheckOptions(true, OptionalLong.empty());
}
