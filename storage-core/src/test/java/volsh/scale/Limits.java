package volsh.scale;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.reflect.AccessFlag;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Finds in a compiled class the numbers of items that are handled, kept or looked at together. */
final class Limits {
    /** A constant with one of these words in its name is one ... */
    private static final Set<String> COUNTS = Set.of("MAX", "MOST", "PAGE", "PAGES", "BATCH", "LIMIT", "ROWS",
            "REMEMBERED", "KEPT", "ENOUGH", "TOGETHER", "SIGHT", "WRITES", "READERS", "ONCE", "PASSES", "ROUNDS",
            "WALKS", "COUNTED", "VERSIONS", "EXTENTS", "NAMES", "ATTRIBUTES", "NODES", "KNOWN", "OLDEST", "DEAD",
            "TRANSACTIONS", "LISTED", "WAITING", "QUEUE", "TIME");
    /** ... unless one of these says that it is a length, a time, or what a person is shown. */
    private static final Set<String> MEASURES = Set.of("LENGTH", "BYTES", "SIZE", "NANOS", "MILLIS", "SECONDS", "DEPTH",
            "LINKS", "SPAN", "TOLD", "SHOWN", "HUGE", "GAP", "START", "MIN", "LEAST");
    private static final String SCAN = "(Lvolsh/engine/MetaKey;Lvolsh/engine/MetaKey;I)Ljava/util/List;";

    private Limits() {}

    /** By the class and the name of the constant, or {@code scan(N)} where a number stands in the call. */
    static Map<String, Long> of(ClassModel type) {
        var name = type.thisClass().asInternalName().replaceFirst("^volsh/", "").replace('/', '.');
        var found = new TreeMap<String, Long>();
        for (var field : type.fields()) {
            var value = field.findAttribute(Attributes.constantValue());
            if (field.flags().has(AccessFlag.FINAL) && value.isPresent()
                    && value.get().constant().constantValue() instanceof Number number
                    && isCount(field.fieldName().stringValue()) && number.longValue() > 1) {
                found.put(name + "." + field.fieldName().stringValue(), number.longValue());
            }
        }
        scans(type, name, found);
        return found;
    }

    private static boolean isCount(String name) {
        var words = Arrays.asList(name.split("_"));
        return !Collections.disjoint(COUNTS, words) && Collections.disjoint(MEASURES, words);
    }

    /** The last thing before a scan is its limit; one that is computed is made of constants. */
    private static void scans(ClassModel type, String name, Map<String, Long> found) {
        for (var method : type.methods()) {
            Instruction before = null;
            for (var element : method.code().stream().flatMap(code -> code.elementStream()).toList()) {
                if (element instanceof InvokeInstruction call && call.name().equalsString("scan")
                        && call.type().equalsString(SCAN)
                        && before instanceof ConstantInstruction limit
                        && limit.constantValue() instanceof Integer number && number > 1
                        && !found.containsValue((long) number)) {
                    found.put("%s.scan(%d)".formatted(name, number), (long) number);
                }
                before = element instanceof Instruction instruction ? instruction : before;
            }
        }
    }
}
