package volsh.script;

import org.codehaus.groovy.ast.ClassCodeVisitorSupport;
import org.codehaus.groovy.ast.ClassHelper;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.ast.MethodNode;
import org.codehaus.groovy.ast.expr.ArgumentListExpression;
import org.codehaus.groovy.ast.expr.ClosureExpression;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.MethodCallExpression;
import org.codehaus.groovy.ast.expr.StaticMethodCallExpression;
import org.codehaus.groovy.ast.stmt.BlockStatement;
import org.codehaus.groovy.ast.stmt.DoWhileStatement;
import org.codehaus.groovy.ast.stmt.ExpressionStatement;
import org.codehaus.groovy.ast.stmt.ForStatement;
import org.codehaus.groovy.ast.stmt.Statement;
import org.codehaus.groovy.ast.stmt.WhileStatement;
import org.codehaus.groovy.classgen.GeneratorContext;
import org.codehaus.groovy.control.CompilePhase;
import org.codehaus.groovy.control.SourceUnit;
import org.codehaus.groovy.control.customizers.CompilationCustomizer;
import volsh.command.line.Stop;

/**
 * Makes every loop, method and block of a script look whether it is to stop. Not by interrupting threads alone: an
 * interrupt would close files that a command has open.
 */
final class Checkpoints extends CompilationCustomizer {
    private static final ClassNode STOP = ClassHelper.make(Stop.class);

    Checkpoints() {
        super(CompilePhase.CANONICALIZATION);
    }

    @Override
    public void call(SourceUnit source, GeneratorContext context, ClassNode node) {
        new Visitor(source).visitClass(node);
    }

    private static Statement checked(Statement body) {
        var block = new BlockStatement();
        block.addStatement(new ExpressionStatement(new StaticMethodCallExpression(STOP, "check",
                ArgumentListExpression.EMPTY_ARGUMENTS)));
        block.addStatement(body);
        block.setSourcePosition(body);
        return block;
    }

    private static final class Visitor extends ClassCodeVisitorSupport {
        private final SourceUnit source;

        Visitor(SourceUnit source) {
            this.source = source;
        }

        @Override
        protected SourceUnit getSourceUnit() {
            return source;
        }

        @Override
        public void visitMethod(MethodNode node) {
            super.visitMethod(node);
            boolean written = !node.isSynthetic() && !node.isAbstract() && node.getLineNumber() > 0;
            if (written && node.getCode() != null) {
                node.setCode(checked(node.getCode()));
            }
        }

        @Override
        public void visitClosureExpression(ClosureExpression closure) {
            super.visitClosureExpression(closure);
            if (closure.getCode() != null) {
                closure.setCode(checked(closure.getCode()));
            }
        }

        /** Groovy's own sleep does not wake when it is to stop. */
        @Override
        public void visitMethodCallExpression(MethodCallExpression call) {
            super.visitMethodCallExpression(call);
            if (call.isImplicitThis() && "sleep".equals(call.getMethodAsString())) {
                call.setMethod(new ConstantExpression("pause"));
            }
        }

        @Override
        public void visitForLoop(ForStatement loop) {
            super.visitForLoop(loop);
            loop.setLoopBlock(checked(loop.getLoopBlock()));
        }

        @Override
        public void visitWhileLoop(WhileStatement loop) {
            super.visitWhileLoop(loop);
            loop.setLoopBlock(checked(loop.getLoopBlock()));
        }

        @Override
        public void visitDoWhileLoop(DoWhileStatement loop) {
            super.visitDoWhileLoop(loop);
            loop.setLoopBlock(checked(loop.getLoopBlock()));
        }
    }
}
