package volsh.script;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.codehaus.groovy.ast.AnnotatedNode;
import org.codehaus.groovy.ast.AnnotationNode;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.ast.ImportNode;
import org.codehaus.groovy.ast.ModuleNode;
import org.codehaus.groovy.classgen.GeneratorContext;
import org.codehaus.groovy.control.CompilePhase;
import org.codehaus.groovy.control.SourceUnit;
import org.codehaus.groovy.control.customizers.CompilationCustomizer;
import org.codehaus.groovy.control.customizers.ImportCustomizer;
import org.codehaus.groovy.syntax.SyntaxException;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * The default imports: quantities, files, and the failures of commands. Imports of an entry stay for later entries.
 * Refuses {@code @Grab}, so that a script fetches no code from the network.
 */
final class Imports extends CompilationCustomizer {
    private final ImportCustomizer kept;
    private final boolean remembers;

    private Imports(ImportCustomizer kept, boolean remembers) {
        super(CompilePhase.CONVERSION);
        this.kept = kept;
        this.remembers = remembers;
    }

    /** Adds to {@code kept} what an entry imports, if it {@code remembers}. */
    static Imports into(ImportCustomizer kept, boolean remembers) {
        return new Imports(kept, remembers);
    }

    static ImportCustomizer usual() {
        var imports = new ImportCustomizer();
        imports.addImports(Files.class.getName(), Path.class.getName(), Instant.class.getName(),
                LocalDate.class.getName(), ByteSize.class.getName(), Span.class.getName(), Rate.class.getName(),
                Percent.class.getName());
        imports.addImport("Size", ByteSize.class.getName());
        imports.addImport("Duration", Span.class.getName());
        imports.addImports(VolshException.class.getName());
        for (Class<?> kind : VolshException.KINDS) {
            imports.addImport(kind.getSimpleName(), kind.getName());
        }
        return imports;
    }

    @Override
    public void call(SourceUnit source, GeneratorContext context, ClassNode node) {
        ModuleNode module = source.getAST();
        refuseGrab(module, source);
        if (!remembers || !node.isScript()) {
            return;
        }
        for (ImportNode one : module.getImports()) {
            kept.addImport(one.getAlias(), one.getType().getName());
        }
        for (ImportNode star : module.getStarImports()) {
            kept.addStarImports(star.getPackageName());
        }
        module.getStaticImports().forEach((alias, one) ->
                kept.addStaticImport(alias, one.getType().getName(), one.getFieldName()));
        module.getStaticStarImports().values().forEach(star -> kept.addStaticStars(star.getType().getName()));
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
