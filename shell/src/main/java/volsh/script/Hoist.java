package volsh.script;

import java.util.List;
import java.util.Set;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.ast.expr.ArgumentListExpression;
import org.codehaus.groovy.ast.expr.BinaryExpression;
import org.codehaus.groovy.ast.expr.CastExpression;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.DeclarationExpression;
import org.codehaus.groovy.ast.expr.EmptyExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.TupleExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.ast.stmt.ExpressionStatement;
import org.codehaus.groovy.ast.stmt.Statement;
import org.codehaus.groovy.classgen.GeneratorContext;
import org.codehaus.groovy.control.CompilePhase;
import org.codehaus.groovy.control.SourceUnit;
import org.codehaus.groovy.control.customizers.CompilationCustomizer;
import org.codehaus.groovy.syntax.SyntaxException;

/**
 * Makes what an entry declares at its top level a variable of the session: {@code def x = f()} becomes {@code x = f()},
 * once. The names of commands are refused, so that no variable ever changes what a line means.
 */
final class Hoist extends CompilationCustomizer {
    private final Set<String> reserved;

    Hoist(Set<String> reserved) {
        super(CompilePhase.CONVERSION);
        this.reserved = reserved;
    }

    @Override
    public void call(SourceUnit source, GeneratorContext context, ClassNode node) {
        if (!node.isScript()) {
            return;
        }
        List<Statement> statements = source.getAST().getStatementBlock().getStatements();
        for (int i = 0; i < statements.size(); i++) {
            if (statements.get(i) instanceof ExpressionStatement statement) {
                Expression hoisted = hoisted(statement.getExpression(), source);
                if (hoisted != statement.getExpression()) {
                    hoisted.setSourcePosition(statement.getExpression());
                    var replaced = new ExpressionStatement(hoisted);
                    replaced.setSourcePosition(statement);
                    statements.set(i, replaced);
                }
            }
        }
    }

    private Expression hoisted(Expression expression, SourceUnit source) {
        if (expression instanceof DeclarationExpression declaration) {
            return declaration.isMultipleAssignmentDeclaration() ? several(declaration, source)
                    : one(declaration, source);
        }
        if (expression instanceof BinaryExpression assignment && assignment.getOperation().getText().equals("=")
                && assignment.getLeftExpression() instanceof VariableExpression variable) {
            refuseReserved(variable, source);
        }
        return expression;
    }

    private Expression one(DeclarationExpression declaration, SourceUnit source) {
        VariableExpression variable = declaration.getVariableExpression();
        refuseReserved(variable, source);
        Expression value = declaration.getRightExpression();
        if (value instanceof EmptyExpression) {
            value = new ConstantExpression(null);
        } else if (!variable.isDynamicTyped()) {
            value = CastExpression.asExpression(variable.getOriginType(), value);
        }
        return new BinaryExpression(named(variable), declaration.getOperation(), value);
    }

    private Expression several(DeclarationExpression declaration, SourceUnit source) {
        var names = new ArgumentListExpression();
        for (Expression each : ((TupleExpression) declaration.getLeftExpression()).getExpressions()) {
            var variable = (VariableExpression) each;
            refuseReserved(variable, source);
            names.addExpression(named(variable));
        }
        return new BinaryExpression(names, declaration.getOperation(), declaration.getRightExpression());
    }

    private static VariableExpression named(VariableExpression declared) {
        var variable = new VariableExpression(declared.getName());
        variable.setSourcePosition(declared);
        return variable;
    }

    private void refuseReserved(VariableExpression variable, SourceUnit source) {
        if (reserved.contains(variable.getName())) {
            source.addError(new SyntaxException("'" + variable.getName() + "' is a command; choose another name",
                    variable));
        }
    }
}
