package volsh.script;

import groovy.lang.GroovySystem;
import groovy.lang.MissingPropertyException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.codehaus.groovy.ast.ASTNode;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.ast.CodeVisitorSupport;
import org.codehaus.groovy.ast.DynamicVariable;
import org.codehaus.groovy.ast.expr.BinaryExpression;
import org.codehaus.groovy.ast.expr.ClosureExpression;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.DeclarationExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.ListExpression;
import org.codehaus.groovy.ast.expr.MapEntryExpression;
import org.codehaus.groovy.ast.expr.MapExpression;
import org.codehaus.groovy.ast.expr.MethodCallExpression;
import org.codehaus.groovy.ast.expr.PropertyExpression;
import org.codehaus.groovy.ast.expr.TupleExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.runtime.InvokerHelper;
import org.codehaus.groovy.syntax.Types;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Similar;
import volsh.command.line.Language.Checked;
import volsh.command.line.Language.Finding;
import volsh.command.line.Program;

/**
 * Looks for mistakes in the syntax tree of a script: commands and options that do not exist, values that do not fit,
 * names that nothing declares. What is known only when the script runs is believed: no finding is a guess.
 */
final class CodeCheck {
    /** Blocks given to these know the names around them and no others. */
    private static final Set<String> PLAIN = Set.of("each", "eachWithIndex", "collect", "collectMany", "collectEntries",
            "find", "findAll", "any", "every", "sort", "toSorted", "max", "min", "sum", "groupBy", "inject", "times",
            "count", "unique", "findResult",
            "findResults", "call");
    /** What an object answers without being a command. */
    private static final Set<String> OF_OBJECTS = Set.of("toString", "hashCode", "equals", "getClass", "dump",
            "inspect", "with", "tap", "is");
    private static final Set<String> OF_SCRIPTS = Set.of("binding", "metaClass", "class", "script", "_", "_exit");
    private static final Object UNKNOWN = new Object();

    private final Vocabulary vocabulary;
    private final Set<String> words;
    private final Set<String> declared = new HashSet<>();
    private final Set<String> before;
    private final List<Finding> findings = new ArrayList<>();

    /** {@code words}: what can be said anywhere. {@code before}: names that earlier code declared. */
    CodeCheck(Vocabulary vocabulary, Set<String> words, Set<String> before) {
        this.vocabulary = vocabulary;
        this.words = words;
        this.before = before;
    }

    void of(ClassNode script) {
        script.getMethods().forEach(method -> declared.add(method.getName()));
        script.getFields().forEach(field -> declared.add(field.getName()));
        script.getMethods().forEach(method -> method.getCode().visit(new Declarations()));
        script.getMethods().forEach(method -> method.getCode().visit(new Calls()));
    }

    Checked result() {
        return new Checked(List.copyOf(findings), Set.copyOf(declared));
    }

    private void found(ASTNode node, CommandFailure wrong) {
        findings.add(new Finding(node.getLineNumber(), wrong.getMessage(), wrong.problem().hints()));
    }

    private void unknown(ASTNode node, String name, String message) {
        var all = new HashSet<>(words);
        all.addAll(declared);
        all.addAll(before);
        List<String> similar = Equivalents.of(name).map(List::of)
                .orElseGet(() -> Similar.to(name, all).stream().limit(1)
                .map(meant -> "did you mean: " + meant).toList());
        findings.add(new Finding(node.getLineNumber(), message, similar));
    }

    /** Names that the code gives a value to. */
    private final class Declarations extends CodeVisitorSupport {
        @Override
        public void visitDeclarationExpression(DeclarationExpression declaration) {
            super.visitDeclarationExpression(declaration);
            names(declaration.getLeftExpression());
        }

        @Override
        public void visitBinaryExpression(BinaryExpression assignment) {
            super.visitBinaryExpression(assignment);
            if (assignment.getOperation().isA(Types.ASSIGNMENT_OPERATOR)) {
                names(assignment.getLeftExpression());
            }
        }

        private void names(Expression target) {
            if (target instanceof VariableExpression variable) {
                declared.add(variable.getName());
            } else if (target instanceof TupleExpression several) {
                several.getExpressions().forEach(this::names);
            }
        }
    }

    private final class Calls extends CodeVisitorSupport {
        private int foreignBlocks;
        private int inForeignBlock;

        @Override
        public void visitMethodCallExpression(MethodCallExpression call) {
            String name = call.getMethodAsString();
            call.getObjectExpression().visit(this);
            if (name == null) {
                call.getMethod().visit(this);
            } else if (call.isImplicitThis()) {
                function(call, name);
            } else {
                path(call.getObjectExpression()).filter(_ -> !OF_OBJECTS.contains(name))
                        .ifPresent(noun -> verb(call, noun, name));
            }
            boolean plain = call.isImplicitThis() ? Program.WORDS.contains(name) && !"cli".equals(name)
                    : PLAIN.contains(name);
            foreignBlocks += plain ? 0 : 1;
            call.getArguments().visit(this);
            foreignBlocks -= plain ? 0 : 1;
        }

        /** A block given to {@code with} or {@code cli} may know names that we do not. */
        @Override
        public void visitClosureExpression(ClosureExpression block) {
            int outer = foreignBlocks;
            inForeignBlock += outer > 0 ? 1 : 0;
            foreignBlocks = 0;
            super.visitClosureExpression(block);
            foreignBlocks = outer;
            inForeignBlock -= outer > 0 ? 1 : 0;
        }

        private void function(MethodCallExpression call, String name) {
            if (vocabulary.isCommand(name) && !declared.contains(name)) {
                call(call, List.of(name), List.of());
            } else if (inForeignBlock == 0 && !declared.contains(name) && !before.contains(name)
                    && !words.contains(name) && !isOfScripts(name)) {
                unknown(call, name, "there is no '" + name + "(...)'");
            }
        }

        private void verb(MethodCallExpression call, List<String> noun, String verb) {
            boolean option = noun.size() == 1 && vocabulary.takes(noun.getFirst(), verb);
            if (option || verb.equals("call")) {
                call(call, noun, option ? List.of(Map.of(verb, true)) : List.of());
            } else {
                var path = new ArrayList<>(noun);
                path.add(verb.equals("get") ? vocabulary.getter(noun) : verb);
                call(call, List.copyOf(path), List.of());
            }
        }

        @Override
        public void visitVariableExpression(VariableExpression variable) {
            String name = variable.getName();
            boolean free = variable.getAccessedVariable() instanceof DynamicVariable && inForeignBlock == 0;
            if (free && !declared.contains(name) && !before.contains(name) && !words.contains(name)
                    && !OF_SCRIPTS.contains(name)) {
                unknown(variable, name, "there is no '" + name + "' here");
            }
        }

        @Override
        public void visitPropertyExpression(PropertyExpression property) {
            super.visitPropertyExpression(property);
            if (property.getObjectExpression() instanceof ConstantExpression number
                    && number.getValue() instanceof Number) {
                try {
                    value(property);
                } catch (MissingPropertyException unit) {
                    findings.add(new Finding(property.getLineNumber(),
                            "there is no unit '%s' (as in 4.MiB, 30.s, 7.d)".formatted(unit.getProperty()),
                            List.of()));
                }
            }
        }
    }

    /** The noun that an expression names: {@code volume}, {@code bench.baseline}. */
    private Optional<List<String>> path(Expression expression) {
        if (expression instanceof VariableExpression variable) {
            boolean noun = variable.getAccessedVariable() instanceof DynamicVariable
                    && vocabulary.isCommand(variable.getName())
                    && !(vocabulary.property(variable.getName()) instanceof Listing)
                    && !declared.contains(variable.getName());
            return noun ? Optional.of(List.of(variable.getName())) : Optional.empty();
        }
        if (expression instanceof PropertyExpression property && property.getPropertyAsString() != null) {
            return path(property.getObjectExpression()).map(outer -> {
                var longer = new ArrayList<>(outer);
                longer.add(property.getPropertyAsString());
                return List.copyOf(longer);
            }).filter(vocabulary::leads);
        }
        return Optional.empty();
    }

    private static boolean isOfScripts(String name) {
        var type = GroovySystem.getMetaClassRegistry().getMetaClass(VolshScript.class);
        return type.getMethods().stream().anyMatch(method -> method.getName().equals(name))
                || type.getMetaMethods().stream().anyMatch(method -> method.getName().equals(name));
    }

    private void call(MethodCallExpression call, List<String> path, List<Object> first) {
        var arguments = new ArrayList<>(first);
        boolean partial = false;
        boolean counted = true;
        List<Expression> given = call.getArguments() instanceof TupleExpression tuple ? tuple.getExpressions()
                : List.of(call.getArguments());
        try {
            for (Expression argument : given) {
                if (argument instanceof MapExpression named) {
                    partial |= !named(named, path, arguments);
                } else {
                    Object value = value(argument);
                    counted &= value != UNKNOWN;
                    if (counted) {
                        arguments.add(value);
                    }
                }
            }
        } catch (MissingPropertyException unit) {
            return;   // found by itself
        } catch (VolshException wrong) {
            found(call, CommandFailure.of(wrong.problem()));
            return;
        }
        vocabulary.problem(path, partial || !counted, arguments.toArray()).ifPresent(wrong -> found(call, wrong));
    }

    /** Adds the named arguments whose values are known. @return whether all are */
    private boolean named(MapExpression named, List<String> path, List<Object> arguments) {
        boolean all = true;
        var known = new LinkedHashMap<String, Object>();
        for (MapEntryExpression entry : named.getMapEntryExpressions()) {
            Object value = value(entry.getValueExpression());
            if (!(entry.getKeyExpression() instanceof ConstantExpression key)) {
                all = false;
            } else if (value == UNKNOWN) {
                all = false;
                Arguments.require(vocabulary.find(path), key.getText());
            } else {
                known.put(key.getText(), value);
            }
        }
        arguments.add(known);
        return all;
    }

    /** The value of a literal: a constant, a quantity, or a list or map of them. */
    private static Object value(Expression expression) {
        return switch (expression) {
            case ConstantExpression constant -> constant.getValue();
            case PropertyExpression property when property.getObjectExpression() instanceof ConstantExpression number
                    && number.getValue() instanceof Number && property.getPropertyAsString() != null ->
                    InvokerHelper.getProperty(number.getValue(), property.getPropertyAsString());
            case ListExpression list -> {
                var values = list.getExpressions().stream().map(CodeCheck::value).toList();
                yield values.contains(UNKNOWN) ? UNKNOWN : values;
            }
            case MapExpression map -> {
                var values = new LinkedHashMap<Object, Object>();
                for (MapEntryExpression entry : map.getMapEntryExpressions()) {
                    values.put(value(entry.getKeyExpression()), value(entry.getValueExpression()));
                }
                yield values.containsKey(UNKNOWN) || values.containsValue(UNKNOWN) ? UNKNOWN : values;
            }
            default -> UNKNOWN;
        };
    }
}
