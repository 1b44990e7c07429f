package statehist;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The names of all attributes: by quark, a parent of a smaller quark (-1: the top) and a name. */
public final class Attributes {
    private static final int TREE_MAGIC = 0x06EC3671;
    private static final String SAME = "*";

    private int n;
    private int[] parents;
    private String[] names;

    Attributes(int capacity) {
        parents = new int[capacity];
        names = new String[capacity];
    }

    void add(int parent, String name) {
        if (n == parents.length) {
            parents = Arrays.copyOf(parents, 2 * n + 16);
            names = Arrays.copyOf(names, parents.length);
        }
        parents[n] = parent;
        names[n++] = name;
    }

    public int size() {
        return n;
    }

    /** The parent of an attribute; -1 for attributes at the top, and for -1. */
    public int parent(int quark) {
        return quark < 0 ? -1 : parents[quark];
    }

    public String name(int quark) {
        return names[quark];
    }

    /** The names from the top down. */
    public List<String> path(int quark) {
        ArrayList<String> path = new ArrayList<>();
        for (int q = quark; q >= 0; q = parents[q]) {
            path.add(0, names[q]);
        }
        return path;
    }

    /**
     * Writes the attribute tree as Trace Compass' history files have it: an int and a list of paths, where a name that
     * equals the one at its position in the path before is "*".
     */
    public void writeTree(OutputStream out) throws IOException {
        // A stream writes an object once: each attribute needs a string object of its own, for all paths.
        String[] objects = new String[n];
        for (int q = 0; q < n; q++) {
            objects[q] = new String(names[q]);
        }
        ArrayList<String[]> paths = new ArrayList<>(n);
        List<String> before = List.of();
        for (int q = 0; q < n; q++) {
            List<String> path = path(q);
            String[] stored = new String[path.size()];
            int at = path.size();
            for (int k = q; k >= 0; k = parents[k]) {
                at--;
                stored[at] = at < before.size() && before.get(at).equals(path.get(at)) ? SAME : objects[k];
            }
            paths.add(stored);
            before = path;
        }
        ObjectOutputStream stream = new ObjectOutputStream(out);
        stream.writeInt(TREE_MAGIC);
        stream.writeObject(paths);
        stream.flush();
    }
}
