#!/usr/bin/env python3
"""Patches Go's sources by string replacement, for `go build -overlay`.

    patch.py GOROOT OUT PATCH [NAME=VALUE...]

Writes the patched files below OUT, and OUT/overlay.json, which maps each file of GOROOT to its
patched copy. GOROOT itself stays as it is. A patch is a text file:

    # a comment
    file PATH           the edits below are of this file of GOROOT
    replace
    old lines
    with
    new lines
    end
    add PATH FILE       FILE, relative to the patch, becomes a new file of GOROOT

The old lines occur exactly once in the file. A line `...` among them matches all lines up to the
next occurrence of those that follow it. Where FILE is a folder, all its Go files but tests are added
below PATH. @NAME@ in a patch is replaced by VALUE.
"""
import json
import os
import sys


def fail(message):
    sys.exit("patch.py: " + message)


def edits(path, values):
    """Yields (line number, "add", path, file) and (line number, "replace", path, old, new)."""
    with open(path) as f:
        text = f.read()
    for name, value in values.items():
        text = text.replace("@%s@" % name, value)
    lines = text.split("\n")
    target, at = None, 0

    def until(word):
        nonlocal at
        start = at
        while at < len(lines) and lines[at] != word:
            at += 1
        if at == len(lines):
            fail("%s:%d: no line `%s` follows" % (path, start, word))
        at += 1
        return "".join(line + "\n" for line in lines[start : at - 1])

    while at < len(lines):
        words = lines[at].split()
        at += 1
        if not words or words[0].startswith("#"):
            continue
        number = at
        if words[0] == "file" and len(words) == 2:
            target = words[1]
        elif words == ["replace"] and target:
            old = until("with")
            yield number, "replace", target, old, until("end")
        elif words[0] == "add" and len(words) == 3:
            yield number, "add", words[1], os.path.join(os.path.dirname(path), words[2])
        else:
            fail("%s:%d: neither file, replace nor add: %s" % (path, number, lines[number - 1]))


def replace(text, old, new):
    """Returns the text with the old lines replaced; None, and what was not found, and how often."""
    head, *rest = old.split("...\n")
    if text.count(head) != 1:
        return None, head, text.count(head)
    start = text.index(head)
    end = start + len(head)
    for part in rest:
        found = text.find(part, end)
        if found < 0:
            return None, part, 0
        end = found + len(part)
    return text[:start] + new + text[end:], None, 1


def added(path, source):
    """Yields (path below GOROOT, file) for a file or a folder of Go files."""
    if not os.path.isdir(source):
        yield path, source
        return
    for name in sorted(os.listdir(source)):
        if name.endswith(".go") and not name.endswith("_test.go"):
            yield os.path.join(path, name), os.path.join(source, name)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    goroot, out, patch = sys.argv[1:4]
    values = dict(arg.split("=", 1) for arg in sys.argv[4:])
    texts, overlay = {}, {}
    for number, what, path, *rest in edits(patch, values):
        if what == "add":
            for name, source in added(path, rest[0]):
                if os.path.exists(os.path.join(goroot, name)):
                    fail("%s:%d: %s exists" % (patch, number, name))
                overlay[os.path.join(goroot, name)] = os.path.abspath(source)
            continue
        if path not in texts:
            with open(os.path.join(goroot, path)) as f:
                texts[path] = f.read()
        texts[path], missing, n = replace(texts[path], *rest)
        if missing:
            fail("%s:%d: %s contains this text %d times, not once:\n%s"
                 % (patch, number, path, n, missing))
    for path, text in texts.items():
        patched = os.path.join(os.path.abspath(out), path)
        os.makedirs(os.path.dirname(patched), exist_ok=True)
        with open(patched, "w") as f:
            f.write(text)
        overlay[os.path.join(goroot, path)] = patched
    with open(os.path.join(out, "overlay.json"), "w") as f:
        json.dump({"Replace": overlay}, f, indent=1, sort_keys=True)
        f.write("\n")


main()
