package volsh.script;

import java.util.ArrayList;
import java.util.List;
import org.codehaus.groovy.ast.ClassCodeVisitorSupport;
import org.codehaus.groovy.ast.ClassHelper;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.ast.Parameter;
import org.codehaus.groovy.ast.VariableScope;
import org.codehaus.groovy.ast.expr.ArgumentListExpression;
import org.codehaus.groovy.ast.expr.BinaryExpression;
import org.codehaus.groovy.ast.expr.BooleanExpression;
import org.codehaus.groovy.ast.expr.ClosureExpression;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.DeclarationExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.MethodCallExpression;
import org.codehaus.groovy.ast.expr.SpreadExpression;
import org.codehaus.groovy.ast.expr.TupleExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.ast.stmt.AssertStatement;
import org.codehaus.groovy.ast.stmt.BlockStatement;
import org.codehaus.groovy.ast.stmt.CatchStatement;
import org.codehaus.groovy.ast.stmt.EmptyStatement;
import org.codehaus.groovy.ast.stmt.ExpressionStatement;
import org.codehaus.groovy.ast.stmt.IfStatement;
import org.codehaus.groovy.ast.stmt.Statement;
import org.codehaus.groovy.ast.stmt.TryCatchStatement;
import org.codehaus.groovy.classgen.GeneratorContext;
import org.codehaus.groovy.control.CompilePhase;
import org.codehaus.groovy.control.SourceUnit;
import org.codehaus.groovy.control.customizers.CompilationCustomizer;
import org.codehaus.groovy.runtime.powerassert.PowerAssertionError;
import org.codehaus.groovy.syntax.Token;
import org.codehaus.groovy.syntax.Types;

/**
 * Makes {@code expect(a < b)} show the values of {@code a} and {@code b}: the condition becomes one of Groovy's own
 * assertions, which draw them. Runs before names are resolved, so that what it inserts is resolved with the rest.
 */
final class Expectations extends CompilationCustomizer {
    private static final int WIDEST = 120;

    Expectations() {
        super(CompilePhase.CONVERSION);
    }

    /** The condition, and the values of its parts below it. */
    static List<String> lines(AssertionError drawing) {
        return String.valueOf(drawing.getMessage()).lines()
                .map(line -> line.length() > WIDEST ? line.substring(0, WIDEST) + "…" : line).toList();
    }

    @Override
    public void call(SourceUnit source, GeneratorContext context, ClassNode node) {
        if (node.isScript()) {
            new Visitor(source).visitClass(node);
        }
    }

    private static final class Visitor extends ClassCodeVisitorSupport {
        private final SourceUnit source;
        private int count;

        Visitor(SourceUnit source) {
            this.source = source;
        }

        @Override
        protected SourceUnit getSourceUnit() {
            return source;
        }

        @Override
        public void visitBlockStatement(BlockStatement block) {
            super.visitBlockStatement(block);
            block.getStatements().replaceAll(this::drawn);
        }

        @Override
        public void visitIfElse(IfStatement choice) {
            super.visitIfElse(choice);
            choice.setIfBlock(drawn(choice.getIfBlock()));
            choice.setElseBlock(drawn(choice.getElseBlock()));
        }

        private Statement drawn(Statement statement) {
            boolean expects = statement instanceof ExpressionStatement only
                    && only.getExpression() instanceof MethodCallExpression call && call.isImplicitThis()
                    && "expect".equals(call.getMethodAsString());
            if (!expects) {
                return statement;
            }
            var call = (MethodCallExpression) ((ExpressionStatement) statement).getExpression();
            List<Expression> arguments = call.getArguments() instanceof TupleExpression tuple ? tuple.getExpressions()
                    : List.of();
            boolean usual = arguments.size() == 1 && !(arguments.getFirst() instanceof SpreadExpression)
                    || arguments.size() == 2 && arguments.get(1) instanceof ClosureExpression;
            return usual ? drawn(call, arguments) : statement;
        }

        /**
         * {@code def value; try { assert value = CONDITION } catch (PowerAssertionError error) { missed(value, error,
         * MESSAGE) }}.
         */
        private Statement drawn(MethodCallExpression call, List<Expression> arguments) {
            String value = "$expected" + count;
            String error = "$missed" + count++;
            var assertion = new AssertStatement(new BooleanExpression(
                    new BinaryExpression(new VariableExpression(value), assign(), arguments.getFirst())));
            assertion.setSourcePosition(arguments.getFirst());
            var missed = new MethodCallExpression(VariableExpression.THIS_EXPRESSION, "missed",
                    new ArgumentListExpression(
                    new VariableExpression(value), new VariableExpression(error),
                    arguments.size() == 2 ? arguments.get(1) : new ConstantExpression(null)));
            missed.setImplicitThis(true);
            missed.setSourcePosition(call);
            var attempt = new TryCatchStatement(block(List.of(assertion)), EmptyStatement.INSTANCE);
            attempt.addCatch(new CatchStatement(new Parameter(ClassHelper.make(PowerAssertionError.class), error),
                    block(List.of(new ExpressionStatement(missed)))));
            var declared = new ExpressionStatement(
                    new DeclarationExpression(new VariableExpression(value), assign(), new ConstantExpression(null)));
            BlockStatement all = block(List.of(declared, attempt));
            all.setSourcePosition(call);
            return all;
        }

        private static BlockStatement block(List<Statement> statements) {
            return new BlockStatement(new ArrayList<>(statements), new VariableScope());
        }

        private static Token assign() {
            return Token.newSymbol(Types.ASSIGN, -1, -1);
        }
    }
}
