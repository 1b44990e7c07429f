package statehist;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A query in the words of a recorded workload (docs/workloads.md), which are also those of `bakeoff query`. */
record Query(String kind, int[] quarks, long[] times) {
    /** An action of the user: the queries that it causes. */
    record Action(String name, List<Query> queries) {
    }

    /** Reads a workload. Queries before the first action belong to an action without a name. */
    static List<Action> readWorkload(BufferedReader in) throws IOException {
        List<Action> actions = new ArrayList<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("action\t")) {
                actions.add(new Action(line.substring(7), new ArrayList<>()));
            } else if (!line.startsWith("#") && !line.isEmpty()) {
                if (actions.isEmpty()) {
                    actions.add(new Action("", new ArrayList<>()));
                }
                actions.get(actions.size() - 1).queries.add(parse(line));
            }
        }
        return actions;
    }

    static Query parse(String line) {
        String[] fields = line.split("[\t ]");
        int first = fields[0].equals("hit") ? 1 : 0;
        String kind = fields[first];
        List<String> arguments = Arrays.asList(fields).subList(first + 1, fields.length);
        int nTimes = 0; // from `at` on
        int at = 0;
        switch (kind) {
        case "point" -> {
            return new Query(kind, quarks(arguments.subList(0, 1)), times(arguments.subList(1, 2)));
        }
        case "full-state", "export" -> nTimes = 1;
        case "range2d" -> nTimes = 2;
        case "times" -> {
            nTimes = Integer.parseInt(arguments.get(0));
            at = 1;
        }
        default -> throw new IllegalArgumentException("no such kind of query: " + line);
        }
        int end = at + nTimes;
        return new Query(kind, quarks(arguments.subList(end, arguments.size())), times(arguments.subList(at, end)));
    }

    private static int[] quarks(List<String> texts) {
        return texts.stream().mapToInt(Integer::parseInt).toArray();
    }

    private static long[] times(List<String> texts) {
        return texts.stream().mapToLong(Long::parseLong).toArray();
    }

    List<History.Interval> run(History history) throws IOException {
        return switch (kind) {
        case "point" -> List.of(history.single(quarks[0], times[0]));
        case "times" -> history.times(quarks, times);
        case "range2d" -> history.range2d(quarks, times[0], times[1]);
        default -> history.full(times[0]);
        };
    }
}
