import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.AccessFlags;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.ConstantValueAttribute;
import java.lang.reflect.AccessFlag;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Compiles what changed since the last build and writes how to run it, without Gradle. Started by {@code ./dev}.
 *
 * <p>A source is compiled if it is newer than its class. If what others can see of a class changed, every class that
 * names it is compiled as well, in its own source set and in those that build on it, if need be by a later run: a
 * compiler that failed, and a test that needed only some of the sets, leave the rest written down. A changed constant,
 * which leaves no name behind, compiles all.
 *
 * <p>Works in Gradle's directories and with the class paths Gradle wrote there, so the two can be used in turns.
 */
final class Dev {
    private static final List<String> OPTIONS = List.of("--release", "25", "-parameters", "-proc:none",
            "-Xpkginfo:always", "-Xlint:all,-path,-processing,-serial,-classfile", "-Werror");

    /** In place of the name of a class: a constant changed, which leaves no name in the classes that use it. */
    private static final String EVERYTHING = "*";

    /**
     * What is compiled together, and in which order: a set sees those before it that are its module's or are shared.
     */
    private enum SourceSet {
        CORE("storage-core", "main"), FIXTURES("storage-core", "testFixtures"), CORE_TEST("storage-core", "test"),
        COMMANDS("commands", "main"), COMMANDS_TEST("commands", "test"),
        SHELL("shell", "main"), SHELL_TEST("shell", "test"), IMAGE_TEST("shell", "imageTest");

        final String module;
        final String name;

        SourceSet(String module, String name) {
            this.module = module;
            this.name = name;
        }

        boolean shared() {
            return name.equals("main") || this == FIXTURES;
        }

        boolean test() {
            return name.equals("test") || name.equals("imageTest");
        }

        Path sources() {
            return Path.of(module, "src", name, "java");
        }

        Path classes() {
            return Path.of(module, "build", "classes", "java", name);
        }

        /** Names of classes that changed for those who use them since the set was last compiled without an error. */
        Path owed() {
            return Path.of("build", "dev", "owed", module + "-" + name);
        }

        /** The sets that have to be compiled before this one can run, itself last. */
        List<SourceSet> path() {
            return Stream.of(values()).filter(each -> each == this || each.shared() && each.ordinal() < ordinal())
                    .toList();
        }
    }

    private Dev() {}

    /** Arguments: {@code test NAME...} prints the tests found, {@code run} prepares the program. */
    public static void main(String[] arguments) throws IOException {
        if (arguments[0].equals("run")) {
            compile(SourceSet.SHELL.path());
            Files.writeString(Path.of("build/dev/run.args"), arguments(SourceSet.SHELL_TEST, false));
            return;
        }
        var selected = new EnumMap<SourceSet, List<String>>(SourceSet.class);
        for (String name : new LinkedHashSet<>(List.of(arguments).subList(1, arguments.length))) {
            if (select(name, selected) == 0) {
                System.err.println("dev: no test class is called " + name.replaceFirst("#.*", ""));
                System.exit(2);
            }
        }
        for (var each : selected.entrySet()) {
            SourceSet set = each.getKey();
            compile(set.path());
            Path run = Files.createDirectories(Path.of("build/dev/runs", set.module + "-" + set.name));
            Files.writeString(run.resolve("test.args"), arguments(set, true));
            Files.write(run.resolve("selected"), each.getValue());
        }
    }

    /** Adds the test classes of this name to those of their sets; returns how many there are. */
    private static int select(String name, Map<SourceSet, List<String>> selected) {
        String simple = name.replaceFirst("#.*", "");
        int count = 0;
        for (SourceSet set : SourceSet.values()) {
            for (String type : set.test() ? named(set, simple) : List.<String>of()) {
                selected.computeIfAbsent(set, first -> new ArrayList<>()).add(name.contains("#")
                        ? "--select-method=" + type + name.substring(name.indexOf('#')) : "--select-class=" + type);
                count++;
            }
        }
        return count;
    }

    /**
     * The classes of a set whose simple name matches the regular expression, or whose whole one does, where two modules
     * have one of that name.
     */
    private static List<String> named(SourceSet set, String name) {
        return sources(set).stream()
                .map(source -> set.sources().relativize(source).toString().replace(".java", "").replace('/', '.'))
                .filter(type -> type.matches(name) || type.substring(type.lastIndexOf('.') + 1).matches(name)).toList();
    }

    // --- compiling

    private static void compile(List<SourceSet> sets) throws IOException {
        for (SourceSet set : sets) {
            Files.createDirectories(set.classes());
            owe(set, forgetDeleted(set));
            var sources = sources(set);
            var owed = owed(set);
            var stale = new TreeSet<Path>(owed.contains(EVERYTHING) ? sources : users(set, owed));
            sources.stream().filter(source -> stale(set, source)).forEach(stale::add);
            var done = new TreeSet<Path>();
            while (!stale.isEmpty()) {
                var before = shapes(set, stale);
                boolean compiled = javac(set, stale);       // one that fails may have written some classes
                var changed = changed(before, shapes(set, stale));
                owe(set, changed);
                if (!compiled) {
                    System.exit(1);
                }
                done.addAll(stale);
                stale.clear();
                stale.addAll(changed.contains(EVERYTHING) ? sources : users(set, changed));
                stale.removeAll(done);
            }
            Files.deleteIfExists(set.owed());
        }
    }

    /**
     * Writes down that a set, and those that build on it, still have to be compiled against these classes: they may be
     * in another run.
     */
    private static void owe(SourceSet changed, Set<String> names) throws IOException {
        for (SourceSet set : SourceSet.values()) {
            if (!names.isEmpty() && set.path().contains(changed)) {
                Files.createDirectories(set.owed().getParent());
                Files.write(set.owed(), names, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
        }
    }

    private static Set<String> owed(SourceSet set) throws IOException {
        return Files.exists(set.owed()) ? new TreeSet<>(Files.readAllLines(set.owed())) : Set.of();
    }

    private static boolean javac(SourceSet set, Collection<Path> sources) throws IOException {
        System.err.printf("dev: compiling %d of %s %s%n", sources.size(), set.module, set.name);
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            var options = new ArrayList<>(OPTIONS);
            options.addAll(List.of("-d", set.classes().toString(), "-cp", classPath(set)));
            return compiler.getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                    .call();
        }
    }

    private static List<Path> sources(SourceSet set) {
        if (!Files.isDirectory(set.sources())) {
            return List.of();
        }
        try (var files = Files.walk(set.sources())) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static Path classOf(SourceSet set, Path source) {
        return set.classes().resolve(set.sources().relativize(source).toString().replace(".java", ".class"));
    }

    private static boolean stale(SourceSet set, Path source) {
        try {
            Path compiled = classOf(set, source);
            return !Files.exists(compiled)
                    || Files.getLastModifiedTime(source).compareTo(Files.getLastModifiedTime(compiled)) > 0;
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    /** Deletes the classes whose source is gone; returns their names. */
    private static Set<String> forgetDeleted(SourceSet set) throws IOException {
        var forgotten = new TreeSet<String>();
        try (var files = Files.walk(set.classes())) {
            for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
                Path relative = set.classes().relativize(file);
                Path beside = set.sources().resolve(relative).getParent();
                String simple = file.getFileName().toString().replaceFirst("(\\$.*)?\\.class$", "");
                if (!Files.exists(beside.resolve(simple + ".java")) && !Files.exists(beside.resolve(sourceOf(file)))) {
                    forgotten.add(relative.toString().replace(".class", ""));
                    Files.delete(file);
                }
            }
        }
        return forgotten;
    }

    private static String sourceOf(Path file) throws IOException {
        return ClassFile.of().parse(file).findAttribute(Attributes.sourceFile())
                .map(each -> each.sourceFile().stringValue()).orElse("");
    }

    /** The sources of a set whose classes name one of these. */
    private static Set<Path> users(SourceSet set, Set<String> names) throws IOException {
        var users = new TreeSet<Path>();
        if (names.isEmpty()) {
            return users;
        }
        for (Path source : sources(set)) {
            for (Path file : classesOf(set, source)) {
                String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
                if (names.stream().anyMatch(bytes::contains)) {
                    users.add(source);
                    break;
                }
            }
        }
        return users;
    }

    /** The class of a source, and those inside it. */
    private static List<Path> classesOf(SourceSet set, Path source) throws IOException {
        Path outer = classOf(set, source);
        if (!Files.exists(outer)) {
            return List.of();
        }
        String simple = outer.getFileName().toString().replace(".class", "");
        try (var beside = Files.newDirectoryStream(outer.getParent(), simple + "$*.class")) {
            var all = new ArrayList<>(List.of(outer));
            beside.forEach(all::add);
            return all;
        }
    }

    // --- what others see of a class

    private record Shape(Set<String> members, Set<String> constants) {}

    private static Map<String, Shape> shapes(SourceSet set, Collection<Path> sources) throws IOException {
        var shapes = new HashMap<String, Shape>();
        for (Path source : sources) {
            for (Path file : classesOf(set, source)) {
                var model = ClassFile.of().parse(file);
                shapes.put(model.thisClass().asInternalName(), shape(model));
            }
        }
        return shapes;
    }

    private static Shape shape(ClassModel model) {
        var members = new TreeSet<String>();
        var constants = new TreeSet<String>();
        members.add(model.flags().flagsMask() + " " + model.superclass() + " " + model.interfaces()
                + model.findAttribute(Attributes.signature()).map(each -> each.signature().stringValue()).orElse("")
                + model.findAttribute(Attributes.permittedSubclasses())
                .map(each -> each.permittedSubclasses().toString()).orElse("")
                + model.findAttribute(Attributes.record()).map(each -> each.components().stream()
                        .map(one -> one.name() + ":" + one.descriptor()).toList().toString()).orElse(""));
        model.fields().stream().filter(field -> seen(field.flags())).forEach(field -> {
            members.add(field.flags().flagsMask() + " " + field.fieldName() + ":" + field.fieldType()
                    + field.findAttribute(Attributes.signature()).map(each -> each.signature().stringValue())
                    .orElse(""));
            field.findAttribute(Attributes.constantValue()).map(ConstantValueAttribute::constant)
                    .ifPresent(value -> constants.add(field.fieldName() + "=" + value.constantValue()));
        });
        model.methods().stream().filter(method -> seen(method.flags())).forEach(method ->
                members.add(method.flags().flagsMask() + " " + method.methodName() + method.methodType()
                + method.findAttribute(Attributes.signature()).map(each -> each.signature().stringValue()).orElse("")
                + method.findAttribute(Attributes.exceptions()).map(each -> each.exceptions().toString()).orElse("")));
        return new Shape(members, constants);
    }

    private static boolean seen(AccessFlags flags) {
        return !flags.has(AccessFlag.PRIVATE) && !flags.has(AccessFlag.SYNTHETIC);
    }

    /**
     * The classes that others have to be compiled with again; "*" if that cannot be known. A new class has no users
     * yet.
     */
    private static Set<String> changed(Map<String, Shape> before, Map<String, Shape> after) {
        var changed = new TreeSet<String>();
        before.forEach((name, old) -> {
            var shape = after.get(name);
            if (shape == null || !shape.members.equals(old.members)) {
                changed.add(name);
            }
            if (shape != null && !shape.constants.containsAll(old.constants)) {
                changed.add(EVERYTHING);
            }
        });
        return changed;
    }

    // --- class paths

    /** Gradle's class path of a module's tests, with the classes of ours where it has their jars. */
    private static String classPath(SourceSet set) throws IOException {
        String file = set == SourceSet.IMAGE_TEST ? "imageTest.args" : "test.args";
        var lines = Files.readAllLines(Path.of(set.module, "build", file));
        String path = lines.get(lines.indexOf("\"-cp\"") + 1).replace("\"", "");
        var own = Path.of("").toAbsolutePath();
        return Stream.of(path.split(":")).map(entry -> {
            for (String module : List.of("storage-core", "commands", "shell")) {
                if (entry.startsWith(own.resolve(module).resolve("build/libs").toString())) {
                    Path build = own.resolve(module).resolve("build");
                    return build.resolve("classes/java/main") + ":" + build.resolve("resources/main");
                }
            }
            return entry;
        }).collect(Collectors.joining(":"));
    }

    /** An argument file for java(1). */
    private static String arguments(SourceSet set, boolean assertions) throws IOException {
        String file = set == SourceSet.IMAGE_TEST ? "imageTest.args" : "test.args";
        var lines = new ArrayList<>(Files.readAllLines(Path.of(set.module, "build", file)));
        lines.set(lines.indexOf("\"-cp\"") + 1, "\"" + classPath(set) + "\"");
        if (!assertions) {
            lines.remove("\"-ea\"");
        }
        return String.join("\n", lines) + "\n";
    }
}
