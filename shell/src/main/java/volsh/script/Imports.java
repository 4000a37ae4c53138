package volsh.script;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.codehaus.groovy.ast.AnnotatedNode;
import org.codehaus.groovy.ast.AnnotationNode;
import org.codehaus.groovy.ast.ClassHelper;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.ast.ImportNode;
import org.codehaus.groovy.ast.ModuleNode;
import org.codehaus.groovy.classgen.GeneratorContext;
import org.codehaus.groovy.control.CompilePhase;
import org.codehaus.groovy.control.SourceUnit;
import org.codehaus.groovy.control.customizers.CompilationCustomizer;
import org.codehaus.groovy.syntax.SyntaxException;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * The default imports: quantities, files, and the failures of commands. What a script imports itself under such a name,
 * as {@code java.time.Duration}, takes precedence. Imports of an entry stay for later entries. Refuses {@code @Grab}, so
 * that a script fetches no code from the network.
 */
final class Imports extends CompilationCustomizer {
    private final boolean remembers;
    private final Map<String, String> classes = new LinkedHashMap<>();
    private final Set<String> packages = new LinkedHashSet<>();
    private final Map<String, ImportNode> members = new LinkedHashMap<>();
    private final Map<String, ImportNode> allMembers = new LinkedHashMap<>();

    private Imports(boolean remembers) {
        super(CompilePhase.CONVERSION);
        this.remembers = remembers;
        for (Class<?> type : List.of(Files.class, Path.class, Instant.class, LocalDate.class, ByteSize.class, Span.class,
                Rate.class, Percent.class, VolshException.class)) {
            classes.put(type.getSimpleName(), type.getName());
        }
        classes.put("Size", ByteSize.class.getName());
        classes.put("Duration", Span.class.getName());
        for (Class<?> kind : VolshException.KINDS) {
            classes.put(kind.getSimpleName(), kind.getName());
        }
    }

    /** For files, each by itself. */
    static Imports ofFiles() {
        return new Imports(false);
    }

    /** For the entries of a session. */
    static Imports ofEntries() {
        return new Imports(true);
    }

    @Override
    public void call(SourceUnit source, GeneratorContext context, ClassNode node) {
        ModuleNode module = source.getAST();
        refuseGrab(module, source);
        if (remembers && node.isScript()) {
            remember(module);
        }
        classes.forEach((alias, type) -> {
            if (module.getImport(alias) == null && !isDeclared(module, alias)) {
                module.addImport(alias, ClassHelper.make(type));
            }
        });
        packages.forEach(module::addStarImport);
        members.forEach((alias, one) -> {
            if (!module.getStaticImports().containsKey(alias)) {
                module.addStaticImport(one.getType(), one.getFieldName(), alias);
            }
        });
        allMembers.forEach((name, star) -> module.addStaticStarImport(name, star.getType()));
    }

    private static boolean isDeclared(ModuleNode module, String name) {
        return module.getClasses().stream().anyMatch(type -> type.getNameWithoutPackage().equals(name));
    }

    private void remember(ModuleNode module) {
        module.getImports().forEach(one -> classes.put(one.getAlias(), one.getType().getName()));
        module.getStarImports().forEach(star -> packages.add(star.getPackageName()));
        members.putAll(module.getStaticImports());
        allMembers.putAll(module.getStaticStarImports());
    }

    private static void refuseGrab(ModuleNode module, SourceUnit source) {
        module.getImports().forEach(one -> refuse(one, source));
        module.getStarImports().forEach(one -> refuse(one, source));
        module.getStaticImports().values().forEach(one -> refuse(one, source));
        module.getStaticStarImports().values().forEach(one -> refuse(one, source));
        module.getClasses().forEach(one -> refuse(one, source));
        module.getMethods().forEach(one -> refuse(one, source));
        if (module.getPackage() != null) {
            refuse(module.getPackage(), source);
        }
    }

    private static void refuse(AnnotatedNode node, SourceUnit source) {
        for (AnnotationNode annotation : node.getAnnotations()) {
            String name = annotation.getClassNode().getNameWithoutPackage();
            if (List.of("Grab", "Grapes", "GrabConfig", "GrabResolver", "GrabExclude").contains(name)) {
                source.addError(new SyntaxException("@" + name + " is disabled: scripts fetch nothing from the network",
                        annotation));
            }
        }
    }
}
