/*
 * Records the queries that views of Trace Compass run on a state system, as a workload of bakeoff (docs/workloads.md).
 *
 * RecordingStateSystem.wrap(interface, stateSystem, writer) returns a proxy that has the interface, passes each call on,
 * and writes a line for each query. Only java.lang.reflect is used, so it compiles without Trace Compass; the interface is
 * ITmfStateSystem, or one of the same shape. Names of methods and parameters are those of its public interface:
 *
 *     querySingleState(long time, int quark)             point
 *     queryFullState(long time)                          full-state
 *     query2D(Collection<Integer>, Collection<Long>)     times
 *     query2D(Collection<Integer>, long from, long to)   range2d
 *
 * query2D answers lazily: the proxy reads the whole answer before it returns, else the work would be outside of the call.
 */
import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

public final class RecordingStateSystem implements InvocationHandler {
    private final Object next;
    private final PrintWriter out;

    private RecordingStateSystem(Object next, PrintWriter out) {
        this.next = next;
        this.out = out;
    }

    /** A state system that does what `next` does and writes its queries to `out`. */
    public static <T> T wrap(Class<T> itsInterface, T next, PrintWriter out) {
        return itsInterface.cast(Proxy.newProxyInstance(itsInterface.getClassLoader(), new Class<?>[] { itsInterface },
                new RecordingStateSystem(next, out)));
    }

    /** Starts an action of the user: the queries up to the next one belong to it. */
    public static void action(PrintWriter out, String name) {
        synchronized (out) {
            out.print("action\t" + name + "\n");
        }
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        String line = lineOf(method.getName(), arguments == null ? new Object[0] : arguments);
        if (line != null) {
            synchronized (out) {
                out.print(line + "\n");
            }
        }
        try {
            Object answer = method.invoke(next, arguments);
            return line != null && answer instanceof Iterable ? readAll((Iterable<?>) answer) : answer;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static String lineOf(String method, Object[] arguments) {
        switch (method) {
        case "querySingleState":
            return "point\t" + arguments[1] + "\t" + arguments[0];
        case "queryFullState":
            return "full-state\t" + arguments[0];
        case "query2D":
            return arguments.length == 3 ? "range2d\t" + arguments[1] + "\t" + arguments[2] + joined(arguments[0])
                    : timesOf(arguments);
        default:
            return null;
        }
    }

    /** Times and quarks may come in any order: the backend sorts them, so they are sorted here. Nothing for no times. */
    private static String timesOf(Object[] arguments) {
        Collection<?> times = (Collection<?>) arguments[1];
        return times.isEmpty() ? null : "times\t" + new TreeSet<>(times).size() + joined(times) + joined(arguments[0]);
    }

    private static String joined(Object collection) {
        StringBuilder text = new StringBuilder();
        for (Object each : new TreeSet<>((Collection<?>) collection)) {
            text.append('\t').append(each);
        }
        return text.toString();
    }

    private static List<Object> readAll(Iterable<?> answer) {
        List<Object> all = new ArrayList<>();
        answer.forEach(all::add);
        return all;
    }
}
