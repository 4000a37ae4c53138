package volsh.script;

import groovy.lang.Binding;
import groovy.lang.Closure;
import groovy.lang.Script;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.control.MultipleCompilationErrorsException;
import org.codehaus.groovy.runtime.MethodClosure;
import volsh.catalog.Home;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.failure.CancelledException;
import volsh.command.failure.CommandFailure;
import volsh.command.line.Exit;
import volsh.command.line.Language;
import volsh.command.line.Lines;
import volsh.command.line.Program;
import volsh.command.run.BuildFacts;
import volsh.command.run.Caller;

/**
 * A session of Groovy. Each text is compiled once and run once: what an entry declares stays because it is hoisted into
 * the session, never because the entry is run again.
 */
public final class GroovyLanguage implements Language {
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");
    /** {@code x = :volume list} gives x what the command answers. */
    private static final Pattern COMMAND_VALUE = Pattern.compile(
            "(?m)^(\\s*(?:(?:def|var)\\s+)?\\w+\\s*=\\s*):(\\S.*)$");

    private final Context context;
    private final Binding variables = new Binding();
    private final Compiler compiler;

    private GroovyLanguage(Context context, Set<String> reserved, ScriptCache cache) {
        this.context = context;
        this.compiler = new Compiler(reserved, cache, context.places());
    }

    /** The service that Main provides. */
    public static Language start(Caller caller, Lines lines, Session session, Cancellation cancellation) {
        return new GroovyLanguage(new Context(caller, lines, session, cancellation), lines.commands(), cache(session));
    }

    private static ScriptCache cache(Session session) {
        try {
            Path directory = session.service(Home.class).cache().resolve("scripts");
            return new ScriptCache(directory, BuildFacts.read() + program());
        } catch (Exception homeless) {
            return new ScriptCache(Path.of("/nonexistent"), "");
        }
    }

    /** Identifies the build, also during development. */
    private static String program() throws IOException, java.net.URISyntaxException {
        Path place = Path.of(GroovyLanguage.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        return place + " " + Files.getLastModifiedTime(place) + " " + Files.size(place);
    }

    @Override
    public Object entry(Source source) {
        if (NAME.matcher(source.text()).matches() && variables.hasVariable(source.text())) {
            return variables.getVariable(source.text());
        }
        String text = COMMAND_VALUE.matcher(source.text()).replaceAll(match ->
                java.util.regex.Matcher.quoteReplacement(match.group(1) + "cmd(" + quoted(match.group(2)) + ")"));
        return guarded(() -> {
            Script script = made(compiler.entry(source, text));
            keepMethods(script);
            return script.run();
        });
    }

    private static String quoted(String line) {
        return "'" + line.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    /** The methods of an entry can be called by the next ones. */
    private void keepMethods(Script script) {
        for (Method method : script.getClass().getDeclaredMethods()) {
            boolean written = !method.isSynthetic() && !Modifier.isStatic(method.getModifiers())
                    && !method.getName().equals("run") && !method.getName().contains("$")
                    && !method.getName().endsWith("MetaClass");
            if (written) {
                variables.setVariable(method.getName(), new MethodClosure(script, method.getName()));
            }
        }
    }

    @Override
    public Object script(Source source, List<String> arguments) {
        context.arguments(arguments);
        variables.setVariable("script", source.name());
        return guarded(() -> made(compiler.script(source)).run());
    }

    @Override
    public Function<Object, Object> block(Source source) {
        var closure = (Closure<?>) guarded(() -> made(compiler.block(source)).run());
        return item -> guarded(() -> RowScope.call(closure, item));
    }

    @Override
    public Checked check(Source source, Set<String> known) {
        try {
            var check = new CodeCheck(context.vocabulary(), names(), known);
            compiler.tree(source).stream().filter(ClassNode::isScript).forEach(check::of);
            return check.result();
        } catch (MultipleCompilationErrorsException errors) {
            return new Checked(Explanation.findings(errors), Set.of());
        }
    }

    private Script made(Class<? extends Script> type) throws ReflectiveOperationException {
        Script script = type.getDeclaredConstructor().newInstance();
        script.setBinding(variables);
        if (script instanceof VolshScript ours) {
            ours.begin(context);
        }
        return script;
    }

    private interface Work {
        Object run() throws Throwable;
    }

    /** Runs code; a failure names the user's line. */
    private Object guarded(Work work) {
        try {
            return work.run();
        } catch (Throwable thrown) {
            if (thrown instanceof CancelledException) {
                throw new CancelledException(context.places().chain(thrown));
            }
            if (Explanation.wish(thrown)) {
                throw ScriptFailures.sneaky(thrown);
            }
            throw explanation().of(thrown);
        } finally {
            context.flush();
        }
    }

    private Explanation explanation() {
        return context.explanation(variables.getVariables().keySet());
    }

    @Override
    public Set<String> names() {
        var names = new TreeSet<String>(Program.WORDS);
        for (Object name : variables.getVariables().keySet()) {
            names.add(name.toString());
        }
        names.addAll(context.vocabulary().names());
        return new HashSet<>(names);
    }

    @Override
    public void set(String name, Object value) {
        if (name.equals("args") && value instanceof List<?> words) {
            context.arguments(words.stream().map(String::valueOf).toList());
        } else {
            variables.setVariable(name, value);
        }
    }

    @Override
    public Map<String, Object> variables() {
        var declared = new TreeMap<String, Object>();
        for (Object entry : variables.getVariables().entrySet()) {
            var variable = (Map.Entry<?, ?>) entry;
            boolean method = variable.getValue() instanceof MethodClosure;
            if (!method) {
                declared.put(String.valueOf(variable.getKey()), variable.getValue());
            }
        }
        return declared;
    }

    @Override
    public boolean forget(String name) {
        boolean known = variables.hasVariable(name);
        variables.getVariables().remove(name);
        return known;
    }

    @Override
    public void end(boolean failed) {
        CommandFailure failure = null;
        while (!context.deferred().isEmpty()) {
            Throwable thrown = context.deferred().pop().run(context::warnOfDeferred);
            if (failed || failure != null) {
                Optional.ofNullable(thrown).ifPresent(context::warnOfDeferred);
            } else if (thrown != null && !(thrown instanceof Exit)) {
                failure = explanation().of(thrown);
            }
        }
        context.flush();
        CommandFailure unread = context.collected().unread(explanation()).orElse(null);
        if (unread != null && (failed || failure != null)) {
            context.warn(unread.getMessage(), unread.problem().details());
        } else if (unread != null) {
            failure = unread;
        }
        if (failure != null) {
            throw failure;
        }
    }
}
