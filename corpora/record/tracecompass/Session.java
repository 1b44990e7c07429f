/*
 * A scripted session on a state system: opening, then zooms, pans and scrolls of a view, hovering, following a state, and
 * selecting a time. It makes the queries that the views' data providers make, through the interface that it is given, by
 * reflection. The same seed makes the same session.
 *
 *     Session.play(stateSystem, rows, start, end, seed, nActions, out)
 *
 * rows are the quarks of one view in the order of its rows. Widths are in pixels: one time for each, and always the last.
 */
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;

public final class Session {
    private static final int PIXELS = 1200;
    private static final int ROWS = 30;

    private final Object stateSystem;
    private final List<Integer> rows;
    private final long start;
    private final long end;
    private final Random random;
    private final PrintWriter out;
    private long from;
    private long to;
    private int top;

    private Session(Object stateSystem, List<Integer> rows, long start, long end, long seed, PrintWriter out) {
        this.stateSystem = stateSystem;
        this.rows = rows;
        this.start = start;
        this.end = end;
        this.random = new Random(seed);
        this.out = out;
        from = start;
        to = Math.min(end, start + 100_000_000L); // the first window is 100 ms
    }

    /** Plays opening and nActions actions of the user. */
    public static void play(Object stateSystem, List<Integer> rows, long start, long end, long seed, int nActions,
            PrintWriter out) throws Exception {
        Session session = new Session(stateSystem, rows, start, end, seed, out);
        session.open();
        for (int i = 0; i < nActions; i++) {
            session.act();
        }
    }

    private void open() throws Exception {
        RecordingStateSystem.action(out, "open");
        call("query2D", new Class<?>[] { Collection.class, long.class, long.class }, rows, start, end);
        paint(rows, start, end);
    }

    private void act() throws Exception {
        String[] names = { "zoom", "pan", "scroll", "zoom", "pan", "scroll", "hover", "follow", "select" };
        String name = names[random.nextInt(names.length)];
        RecordingStateSystem.action(out, name);
        switch (name) {
        case "zoom":
            resize(random.nextBoolean() ? 2 : 0.5);
            break;
        case "pan":
            move((to - from) / 4 * (random.nextBoolean() ? 1 : -1));
            break;
        case "scroll":
            top = random.nextInt(Math.max(1, rows.size() - ROWS));
            break;
        case "hover":
            paint(visible().subList(0, 1), between(), -1);
            return;
        case "follow":
            follow();
            return;
        default:
            call("queryFullState", new Class<?>[] { long.class }, between());
            return;
        }
        paint(visible(), from, to);
    }

    private long between() {
        return from + (long) (random.nextDouble() * (to - from));
    }

    private void resize(double factor) {
        long middle = from + (to - from) / 2;
        long half = (long) ((to - from) / 2 * factor);
        from = Math.max(start, middle - half);
        to = Math.min(end, middle + half);
    }

    private void move(long by) {
        long length = to - from;
        from = Math.max(start, Math.min(end - length, from + by));
        to = from + length;
    }

    /** The rows that are seen, and three above and below. */
    private List<Integer> visible() {
        return rows.subList(Math.max(0, top - 3), Math.min(rows.size(), top + ROWS + 3));
    }

    /** to < 0: one time. */
    private void paint(List<Integer> quarks, long first, long last) throws Exception {
        List<Long> times = new ArrayList<>();
        long step = Math.max(1, (last - first) / PIXELS);
        for (long time = first; time < last; time += step) {
            times.add(time);
        }
        times.add(last < 0 ? first : last);
        call("query2D", new Class<?>[] { Collection.class, Collection.class }, quarks, times);
    }

    /** The next states of a row: each lookup is after the end of the state before. */
    private void follow() throws Exception {
        int quark = visible().get(0);
        long time = between();
        for (int i = 0; i < 8 && time <= end; i++) {
            Object interval = call("querySingleState", new Class<?>[] { long.class, int.class }, time, quark);
            Method getEndTime = interval.getClass().getMethod("getEndTime");
            getEndTime.setAccessible(true);
            time = (Long) getEndTime.invoke(interval) + 1;
        }
    }

    private Object call(String name, Class<?>[] types, Object... arguments) throws Exception {
        for (Class<?> i : stateSystem.getClass().getInterfaces()) {
            try {
                return i.getMethod(name, types).invoke(stateSystem, arguments);
            } catch (NoSuchMethodException e) {
                continue;
            } catch (InvocationTargetException e) {
                throw (Exception) e.getCause();
            }
        }
        throw new NoSuchMethodException(name);
    }
}
