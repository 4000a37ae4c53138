package volsh.script;

import java.util.Map;
import org.codehaus.groovy.ast.ClassCodeExpressionTransformer;
import org.codehaus.groovy.ast.ClassHelper;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.ast.expr.ArgumentListExpression;
import org.codehaus.groovy.ast.expr.BinaryExpression;
import org.codehaus.groovy.ast.expr.ClosureExpression;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.PropertyExpression;
import org.codehaus.groovy.ast.expr.StaticMethodCallExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.classgen.GeneratorContext;
import org.codehaus.groovy.control.CompilePhase;
import org.codehaus.groovy.control.SourceUnit;
import org.codehaus.groovy.control.customizers.CompilationCustomizer;

/**
 * Makes the signs of comparisons in a script calls of {@link Comparison}. In the block of a pipe also makes columns of
 * {@code owner} and the other names that closures keep for themselves.
 */
final class Comparisons extends CompilationCustomizer {
    private static final ClassNode COMPARISON = ClassHelper.make(Comparison.class);
    private static final Map<String, String> METHODS = Map.of("<", "less", "<=", "lessOrSame", ">", "more", ">=",
            "moreOrSame", "==", "same", "!=", "other", "<=>", "order");
    private static final java.util.Set<String> OF_CLOSURES = java.util.Set.of("owner", "delegate", "directive",
            "thisObject", "resolveStrategy");

    private final boolean block;

    Comparisons(boolean block) {
        super(CompilePhase.CONVERSION);
        this.block = block;
    }

    @Override
    public void call(SourceUnit source, GeneratorContext context, ClassNode node) {
        new Transformer(source).visitClass(node);
    }

    private final class Transformer extends ClassCodeExpressionTransformer {
        private final SourceUnit source;
        private int closures;

        Transformer(SourceUnit source) {
            this.source = source;
        }

        @Override
        protected SourceUnit getSourceUnit() {
            return source;
        }

        @Override
        public Expression transform(Expression expression) {
            if (expression instanceof ClosureExpression closure) {
                closures++;
                closure.getCode().visit(this);
                closures--;
                return closure;
            }
            if (expression instanceof BinaryExpression binary && compares(binary)) {
                return call(binary);
            }
            if (block && closures == 1 && expression instanceof VariableExpression name
                    && OF_CLOSURES.contains(name.getName())) {
                var column = new PropertyExpression(new VariableExpression("it"), name.getName());
                column.setSourcePosition(name);
                return column;
            }
            return super.transform(expression);
        }

        /** Not with {@code null} and the like, which are nothing's size. */
        private static boolean compares(BinaryExpression binary) {
            return METHODS.containsKey(binary.getOperation().getText()) && !isPlain(binary.getLeftExpression())
                    && !isPlain(binary.getRightExpression());
        }

        private static boolean isPlain(Expression operand) {
            return operand instanceof ConstantExpression constant
                    && (constant.getValue() == null || constant.getValue() instanceof Boolean);
        }

        private Expression call(BinaryExpression binary) {
            var call = new StaticMethodCallExpression(COMPARISON, METHODS.get(binary.getOperation().getText()),
                    new ArgumentListExpression(transform(binary.getLeftExpression()),
                    transform(binary.getRightExpression())));
            call.setSourcePosition(binary);
            call.setLineNumber(binary.getOperation().getStartLine());   // where an assertion shows the result
            call.setColumnNumber(binary.getOperation().getStartColumn());
            return call;
        }
    }
}
