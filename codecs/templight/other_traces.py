#!/usr/bin/env python3
"""A trace in the formats that other tools show: clang's -ftime-trace, Chrome's trace events, Perfetto's protobuf.

other_traces.py TRACE.yaml [FOLDER] prints the bytes of each form, and writes them into FOLDER. Reads the text form of
README.md, which also states what each form loses. Without times, the time of a record is its number, in microseconds.
"""
import json
import os
import sys


def read_scalar(text):
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    return json.loads(text) if text.startswith('"') else text


def read_records(path):
    """Pairs of a key and its text for each record."""
    records = []
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            line = line.rstrip("\n")
            if line == "---":
                records.append({})
            elif not line.startswith("#"):
                key, _, text = line.partition(":")
                records[-1][key] = read_scalar(text.strip())
    return records


def times_of(records):
    if all("time" in r for r in records):
        return [round(float(r["time"]) * 1e6) for r in records]
    return list(range(len(records)))


def place(text):
    """File, line; None when it is absent."""
    if not text:
        return None
    file, line, _ = text.rsplit(":", 2)
    return file, int(line)


def pairs(records):
    """Numbers of a Begin and its End. What is open, and an End without a Begin, cannot be written."""
    stack = []
    for i, record in enumerate(records):
        if record["event"] == "Begin":
            stack.append(i)
        elif not stack:
            sys.exit("an End closes no Begin: a complete event needs both")
        else:
            yield stack.pop(), i
    if stack:
        sys.exit("a Begin is open: a complete event needs its End")


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def time_trace(records, times, has_places):
    """Complete events as clang writes them: at their end, inner ones first."""
    events = []
    for begin, end in pairs(records):
        r = records[begin]
        at = place(r["poi"]) if has_places else None
        extra = ',"file":%s,"line":%d' % (quoted(at[0]), at[1]) if at else ""
        events.append('{"pid":1,"tid":1,"ph":"X","ts":%d,"dur":%d,"name":%s,"args":{"detail":%s%s}}' %
                      (times[begin], times[end] - times[begin], quoted(r["kind"]), quoted(r["name"]), extra))
    return as_json(events)


def begin_end(records, times):
    """Events of phases B and E with all fields of a record but memory."""
    events = []
    for r, time in zip(records, times):
        if r["event"] == "Begin":
            events.append('{"pid":1,"tid":1,"ph":"B","ts":%d,"name":%s,"args":{"detail":%s,"orig":%s,"poi":%s}}' %
                          (time, quoted(r["kind"]), quoted(r["name"]), quoted(r["orig"]), quoted(r["poi"])))
        else:
            events.append('{"pid":1,"tid":1,"ph":"E","ts":%d}' % time)
    return as_json(events)


def as_json(events):
    return ('{"traceEvents":[' + ",".join(events) + '],"beginningOfTime":0}').encode("utf-8", "surrogateescape")


# ---- Perfetto ---------------------------------------------------------------------------------


def varint(v):
    out = b""
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def number(field, v):
    return varint(field << 3) + varint(v)


def nested(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def text(field, s):
    return nested(field, s.encode("utf-8", "surrogateescape"))


class Interner:
    """Texts by number, from 1 on; a new one is put into the interned data of the packet that needs it."""

    def __init__(self, field):
        self.field, self.numbers = field, {}

    def get(self, key, entry, new):
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers) + 1
            new.append(nested(self.field, number(1, self.numbers[key]) + entry))
        return self.numbers[key]


CLOCK, TRACK, SEQUENCE = 64, 1, 1


def perfetto(records, times):
    """Begins and Ends, interned: names, kinds as categories, points of instantiation, origins as annotations."""
    kinds, names, keys, places, values = (Interner(field) for field in (1, 2, 3, 4, 29))
    clock = nested(6, nested(1, number(1, CLOCK) + number(2, 0) + number(3, 1)))
    defaults = nested(59, nested(11, number(11, TRACK)) + number(58, CLOCK))
    packets = [clock + number(10, SEQUENCE) + number(13, 1) + defaults,
               number(10, SEQUENCE) + nested(60, number(1, TRACK) + text(2, "templates"))]
    before = 0
    for r, time in zip(records, times):
        head = number(8, max(time - before, 0)) + number(10, SEQUENCE) + number(13, 2)
        before = max(time, before)
        if r["event"] == "End":
            packets.append(head + nested(11, number(9, 2)))
            continue
        new = []
        event = number(9, 1) + number(10, names.get(r["name"], text(2, r["name"]), new)) + \
            number(3, kinds.get(r["kind"], text(2, r["kind"]), new))
        at, origin = place(r["poi"]), place(r["orig"])
        if at:
            event += number(34, places.get(at, text(2, at[0]) + number(4, at[1]), new))
        if origin:
            value = "%s:%d" % origin
            event += nested(4, number(1, keys.get("orig", text(2, "orig"), new)) +
                            number(17, values.get(value, text(2, value), new)))
        packets.append(head + nested(11, event) + (nested(12, b"".join(new)) if new else b""))
    return b"".join(nested(1, packet) for packet in packets)


def main(args):
    records = read_records(args[0])
    times = times_of(records)
    forms = {"time-trace.json": time_trace(records, times, False),
             "time-trace-verbose.json": time_trace(records, times, True),
             "begin-end.json": begin_end(records, times), "perfetto.pb": perfetto(records, times)}
    for name, content in forms.items():
        print(len(content), name)
        if len(args) > 1:
            with open(os.path.join(args[1], name), "wb") as file:
                file.write(content)


if __name__ == "__main__":
    main(sys.argv[1:])
