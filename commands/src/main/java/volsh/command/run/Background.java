package volsh.command.run;

import java.util.ArrayList;
import java.util.List;
import volsh.command.Action;
import volsh.command.Guard;
import volsh.command.InBackground;
import volsh.command.Mutation;
import volsh.command.Session;
import volsh.command.job.JobViews;
import volsh.command.render.Rows;
import volsh.job.Job;
import volsh.job.Jobs;

/** Starts commands with {@code --background} as jobs. */
final class Background {
    private Background() {}

    static Rows<Job> start(Action<?> action, String title, List<String> words, Session session) throws Exception {
        var given = new ArrayList<String>();
        if (action instanceof Mutation<?> mutation) {
            session.view().requireAmong(JobViews.COLUMNS);
            mutation.plan(session);
            Confirmation.obtain(mutation, session);
            given.addAll(confirmed(mutation.guard(session)));
        }
        given.addAll(without(InBackground.OPTION, words));
        return JobViews.started(session.service(Jobs.class).start(given, title), session);
    }

    /** Passes confirmations on, because a job cannot ask. */
    private static List<String> confirmed(Guard guard) {
        return switch (guard) {
            case Guard.None none -> List.of();
            case Guard.NameIfGiven name -> List.of();
            case Guard.Ask ask -> List.of("-y");
            case Guard.TypeName(String question, String name) -> List.of("--confirm", name);
        };
    }

    /** The words without an option, which may be an argument behind {@code --}. */
    private static List<String> without(String option, List<String> words) {
        int end = words.contains("--") ? words.indexOf("--") : words.size();
        var rest = new ArrayList<>(words.subList(0, end).stream().filter(word -> !word.equals(option)).toList());
        rest.addAll(words.subList(end, words.size()));
        return rest;
    }
}
