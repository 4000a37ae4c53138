package volsh.script;

import groovy.lang.GroovyClassLoader;
import groovy.lang.Script;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.control.CompilationUnit;
import org.codehaus.groovy.control.CompilerConfiguration;
import org.codehaus.groovy.control.Phases;
import org.codehaus.groovy.tools.GroovyClass;
import volsh.command.line.Language.Source;

/** Makes classes of texts, each once. Entries see the classes and imports of earlier ones; files stand alone. */
final class Compiler {
    private static final String BLOCK = "return ";

    private final Imports imports = Imports.ofEntries();
    private final Set<String> reserved;
    private final ScriptCache cache;
    private final Places places;
    private GroovyClassLoader session;
    private int entries;

    Compiler(Set<String> reserved, ScriptCache cache, Places places) {
        this.reserved = reserved;
        this.cache = cache;
        this.places = places;
    }

    /** An entry of the session: what it declares is hoisted. {@code text}: as it is compiled, line for line. */
    synchronized Class<? extends Script> entry(Source source, String text) {
        return entry(source, text, "", entryConfiguration(false));
    }

    /** A script that answers with the block. */
    synchronized Class<? extends Script> block(Source source) {
        return entry(source, source.text(), BLOCK, entryConfiguration(true));
    }

    private Class<? extends Script> entry(Source source, String text, String before, CompilerConfiguration how) {
        String unit = "entry" + ++entries;
        places.add(unit + ".groovy", source, before.length());
        if (session == null) {
            session = new GroovyClassLoader(Compiler.class.getClassLoader(), entryConfiguration(false));
        }
        var compiled = new Source(source.name(), before + text, source.firstLine());
        return define(session, compile(unit, compiled, session, how), unit);
    }

    /** A whole file, from the cache if it was compiled before. */
    synchronized Class<? extends Script> script(Source source) {
        String key = cache.key(source.text());
        String unit = "script" + key.substring(0, 16);
        places.add(unit + ".groovy", source);
        var loader = new GroovyClassLoader(Compiler.class.getClassLoader());
        var known = cache.load(key);
        if (known.isPresent()) {
            return define(loader, known.get(), unit);
        }
        Map<String, byte[]> classes = compile(unit, source, loader, fileConfiguration());
        cache.store(key, classes);
        return define(loader, classes, unit);
    }

    /** The syntax tree of a text, names resolved; nothing is made of it. */
    synchronized List<ClassNode> tree(Source source) {
        String unit = "check" + ++entries;
        places.add(unit + ".groovy", source);
        var configuration = new CompilerConfiguration();
        configuration.setScriptBaseClass(VolshScript.class.getName());
        configuration.setDisabledGlobalASTTransformations(Set.of("groovy.grape.GrabAnnotationTransformation"));
        configuration.addCompilationCustomizers(Imports.ofFiles());
        var compilation = new CompilationUnit(configuration, null,
                new GroovyClassLoader(Compiler.class.getClassLoader(), configuration));
        compilation.addSource(unit + ".groovy", "\n".repeat(source.firstLine() - 1) + source.text());
        compilation.compile(Phases.CANONICALIZATION);
        return compilation.getAST().getClasses();
    }

    private CompilerConfiguration entryConfiguration(boolean block) {
        var configuration = configuration(imports, block);
        configuration.addCompilationCustomizers(new Hoist(reserved));
        return configuration;
    }

    private static CompilerConfiguration fileConfiguration() {
        return configuration(Imports.ofFiles(), false);
    }

    private static CompilerConfiguration configuration(Imports imports, boolean block) {
        var configuration = new CompilerConfiguration();
        configuration.setScriptBaseClass(VolshScript.class.getName());
        // Scripts are over soon: linking a dynamic call spins classes at run time, and was a tenth of a prologue's
        // start.
        configuration.getOptimizationOptions().put(CompilerConfiguration.INVOKEDYNAMIC, false);
        configuration.setDisabledGlobalASTTransformations(Set.of("groovy.grape.GrabAnnotationTransformation"));
        configuration.addCompilationCustomizers(imports, new Expectations(), new Comparisons(block),
                new Checkpoints());
        return configuration;
    }

    private static Map<String, byte[]> compile(String unit, Source source, GroovyClassLoader loader,
            CompilerConfiguration configuration) {
        var compilation = new CompilationUnit(configuration, null, loader);
        compilation.addSource(unit + ".groovy", "\n".repeat(source.firstLine() - 1) + source.text());
        compilation.compile(Phases.CLASS_GENERATION);
        var classes = new LinkedHashMap<String, byte[]>();
        for (GroovyClass made : compilation.getClasses()) {
            classes.put(made.getName(), made.getBytes());
        }
        return classes;
    }

    private static Class<? extends Script> define(GroovyClassLoader loader, Map<String, byte[]> classes, String unit) {
        Class<?> script = null;
        for (var entry : classes.entrySet()) {
            Class<?> made = loader.defineClass(entry.getKey(), entry.getValue());
            script = made.getName().equals(unit) ? made : script;
        }
        return script == null ? Nothing.class : script.asSubclass(Script.class);
    }

    /** An entry that only declares classes has nothing to run. */
    public static final class Nothing extends Script {
        @Override
        public Object run() {
            return null;
        }
    }
}
