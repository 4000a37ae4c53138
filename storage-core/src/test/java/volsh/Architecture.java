package volsh;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The rules of the architecture, applied to compiled classes. Each rule returns what it objects to, as sentences for a
 * reader.
 *
 * @param mayUse for each layer (the first package below {@code volsh}) the layers it may use; sub-packages belong to
 *               their layer
 * @param only   for each library (the start of a class name, with slashes) the packages that may know it
 */
record Architecture(Map<String, Set<String>> mayUse, Map<String, Set<String>> only) {
    private static final Pattern OURS = Pattern.compile("\\bL?(volsh/[a-z0-9/]+)/(?=[A-Z]|package-info)");
    private static final Pattern VAGUE = Pattern.compile("\\w*(Utils?|Impl|Manager|Helper)(\\$.*)?");

    /** The classes below the directories that exist, test classes excepted. */
    static List<ClassModel> classesBelow(Iterable<Path> directories) throws IOException {
        var classes = Stream.<ClassModel>builder();
        for (Path directory : directories) {
            try (var files = Files.walk(directory)) {
                for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
                    classes.add(ClassFile.of().parse(file));
                }
            }
        }
        return classes.build().toList();
    }

    /** Uses that point up or across the layers, and layers that the table does not know. */
    Set<String> wrongTurns(Iterable<ClassModel> classes) {
        var objections = new TreeSet<String>();
        for (var type : classes) {
            String user = packageOf(type);
            for (String used : packagesUsedBy(type)) {
                if (!allowed(user, used)) {
                    objections.add("%s must not use %s: %s".formatted(dotted(user), dotted(used), simpleName(type)));
                }
            }
            if (!mayUse.containsKey(layer(user))) {
                objections.add("%s is in no layer of the table".formatted(dotted(user)));
            }
        }
        return objections;
    }

    /** Libraries used outside the packages that may know them. */
    Set<String> strayLibraries(Iterable<ClassModel> classes) {
        var objections = new TreeSet<String>();
        for (var type : classes) {
            only.forEach((library, homes) -> {
                if (!homes.contains(packageOf(type)) && texts(type).anyMatch(text -> mentions(text, library))) {
                    objections.add("%s belongs in %s: %s.%s".formatted(dotted(library), homes.stream()
                            .map(Architecture::dotted).sorted().toList(), dotted(packageOf(type)), simpleName(type)));
                }
            });
        }
        return objections;
    }

    /** Grants that no class makes use of. */
    Set<String> unusedGrants(Iterable<ClassModel> classes) {
        var used = new TreeMap<String, Set<String>>();
        for (var type : classes) {
            var layers = used.computeIfAbsent(layer(packageOf(type)), _ -> new TreeSet<>());
            packagesUsedBy(type).forEach(name -> layers.add(layer(name)));
        }
        var objections = new TreeSet<String>();
        mayUse.forEach((user, granted) -> granted.stream()
                .filter(layer -> !used.getOrDefault(user, Set.of()).contains(layer))
                .forEach(layer -> objections.add("%s does not use %s".formatted(user, layer))));
        return objections;
    }

    /** Packages that use each other, by way of others or not. */
    static Set<String> cycles(Iterable<ClassModel> classes) {
        var uses = new TreeMap<String, Set<String>>();
        for (var type : classes) {
            uses.computeIfAbsent(packageOf(type), _ -> new TreeSet<>()).addAll(packagesUsedBy(type));
        }
        var objections = new TreeSet<String>();
        for (String start : uses.keySet()) {
            var reached = new TreeSet<String>();
            var left = new ArrayDeque<>(uses.get(start));
            left.remove(start);
            while (!left.isEmpty()) {
                String next = left.pop();
                if (reached.add(next)) {
                    left.addAll(uses.getOrDefault(next, Set.of()).stream().filter(each -> !each.equals(next)).toList());
                }
            }
            if (reached.contains(start)) {
                objections.add(dotted(start));
            }
        }
        return objections;
    }

    /** Types outside of others that share their simple name. */
    static Set<String> sharedNames(Iterable<ClassModel> classes) {
        var packages = new TreeMap<String, Set<String>>();
        for (var type : classes) {
            if (!simpleName(type).contains("$") && !simpleName(type).equals("package-info")) {
                packages.computeIfAbsent(simpleName(type), _ -> new TreeSet<>()).add(dotted(packageOf(type)));
            }
        }
        packages.values().removeIf(homes -> homes.size() == 1);
        return packages.entrySet().stream().map(each -> each.getKey() + " in " + each.getValue())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Packages of more than so many files. */
    static Set<String> crowdedPackages(Iterable<ClassModel> classes, int most) {
        var files = new TreeMap<String, Integer>();
        for (var type : classes) {
            if (!simpleName(type).contains("$")) {
                files.merge(dotted(packageOf(type)), 1, Integer::sum);
            }
        }
        files.values().removeIf(count -> count <= most);
        return files.keySet();
    }

    /** Packages that do not say what they are for. */
    static Set<String> silentPackages(Iterable<ClassModel> classes) {
        var packages = new TreeSet<String>();
        var described = new TreeSet<String>();
        for (var type : classes) {
            packages.add(dotted(packageOf(type)));
            if (simpleName(type).equals("package-info")) {
                described.add(dotted(packageOf(type)));
            }
        }
        packages.removeAll(described);
        return packages;
    }

    /** Classes whose names say nothing. */
    static Set<String> vagueNames(Iterable<ClassModel> classes) {
        var objections = new TreeSet<String>();
        for (var type : classes) {
            if (VAGUE.matcher(simpleName(type)).matches()) {
                objections.add(dotted(type.thisClass().asInternalName()));
            }
        }
        return objections;
    }

    /**
     * Down the table, or within a layer from a sub-package to its parent; never from the parent to its sub-packages.
     */
    private boolean allowed(String user, String used) {
        if (user.equals(used)) {
            return true;
        }
        if (layer(user).equals(layer(used))) {
            return !used.startsWith(user + "/");
        }
        return mayUse.getOrDefault(layer(user), Set.of()).contains(layer(used));
    }

    private static Set<String> packagesUsedBy(ClassModel type) {
        var used = new TreeSet<String>();
        texts(type).forEach(text -> OURS.matcher(text).results().forEach(match -> used.add(match.group(1))));
        return used;
    }

    private static Stream<String> texts(ClassModel type) {
        return Stream.iterate(1, index -> index < type.constantPool().size(),
                index -> index + type.constantPool().entryByIndex(index).width())
                .map(type.constantPool()::entryByIndex)
                .filter(Utf8Entry.class::isInstance)
                .map(entry -> ((Utf8Entry) entry).stringValue());
    }

    private static boolean mentions(String text, String library) {
        return text.startsWith(library) || text.contains("L" + library);
    }

    private static String layer(String packageName) {
        String[] parts = packageName.split("/");
        return parts.length > 1 ? parts[1] : "";
    }

    private static String packageOf(ClassModel type) {
        String name = type.thisClass().asInternalName();
        return name.substring(0, Math.max(0, name.lastIndexOf('/')));
    }

    private static String simpleName(ClassModel type) {
        String name = type.thisClass().asInternalName();
        return name.substring(name.lastIndexOf('/') + 1);
    }

    private static String dotted(String name) {
        return name.replace('/', '.');
    }
}
