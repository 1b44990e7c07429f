#!/usr/bin/env python3
"""What vectors reach of exported sources: vectors_coverage.sh runs it.

    vectors_coverage.py FORMAT/CODEC SOURCE.c LCOV JSON FOLDER

Prints a row for corpora/vectors/coverage.tsv: encoding; lines, missed ones that report an error, missed ones with a
reason in corpora/vectors/unreached.tsv, other missed ones; sides of conditions in lines that were reached, missed ones
that report an error, missed ones with a reason, other missed ones. Then what was missed and reports no error: lines, and
sides of conditions; a star means without a reason. Writes what became of each to a file in FOLDER, and appends the
reasons that were used to FOLDER/used and FOLDER/used-sides.

A side of a condition has a reason if its statement contains a missed line with one, or by a row of
corpora/vectors/unreached_sides.tsv.

    vectors_coverage.py --shared FOLDER ENCODING...

Writes the rows of both files anew that have the reason "code of other encodings": of what the vectors of these encodings
miss and those of another encoding of the format reach. Of lines with one text in one function, the first is compared with
the first, and so on; a row is of all that the encoding misses, so each of them must be reached elsewhere. A row is of a
whole function where all of its lines were missed.
"""
import collections
import fnmatch
import glob
import json
import re
import sys

REASONS, SIDE_REASONS = 'corpora/vectors/unreached.tsv', 'corpora/vectors/unreached_sides.tsv'
SHARED = 'code of other encodings'
# A statement that reports an error, passes one on or gives up.
ERROR = re.compile(
    r'fail\w*\(|_MEMORY|_CORRUPT|_TRUNCATED|_UNSUPPORTED|_OVER_LIMIT|_BAD_USAGE|\babort\(|refus|WRONG|damaged'
    r'|return (false|NULL|status|err|err->status|-1|BO_\w+|"[^"]*")?;|no_memory|no memory'
    r'|return (invalid|reject\w*|refuse\w*|corrupt|flaw|ends)\b|\bbad\(|->status = |->what = |error|flaw|reject|past_the_end|->bad'
    r'|goto (fail|done|out)|if \((\w+(->|\.))*status\)\s*(return|break);')
# A condition that an error before it decides.
AFTER_ERROR = re.compile(r'\bstatus\b|\w_status\b|\bok\b|->bad\b')
ENDS = re.compile(r'[;{}]\s*(/\*.*\*/)?\s*$')


def statement_at(text, number, begin):
    """The statement that contains a line, and its last line."""
    whole, at = begin, number
    while at < len(text) and not ENDS.search(text[at - 1]):
        whole, at = whole + text[at], at + 1
    # What a block begins with: `if (bad) {` and on the next line the report.
    if re.search(r'{\s*$', text[at - 1]) and at < len(text):
        whole, at = whole + text[at], at + 1
    return whole, at


def read_reasons(path):
    with open(path, encoding='utf-8') as file:
        return [line.rstrip('\n').split('\t') for line in file][1:]


def reason_for(reasons, encoding, function, line, side=None):
    """The row that fits, rather of the whole line: codecs, function, its begin, with `side` what of it, reason."""
    fits = [row for row in reasons
            if (any(fnmatch.fnmatchcase(encoding, codec) for codec in row[0].split(' '))
                and fnmatch.fnmatchcase(function, row[1]) and (row[2] == '*' or line.startswith(row[2]))
                and (side is None or row[3] in ('*', side)))]
    return next((row for row in fits if row[2] == line), fits[0] if fits else None)


def missed_sides(path, text):
    """By line: the sides of its conditions, each with whether it was taken."""
    with open(path, encoding='utf-8') as file:
        branches = json.load(file)['data'][0]['files'][0]['branches']
    sides = collections.defaultdict(list)
    for begin, column, end, to, n_true, n_false, *_ in sorted(branches):
        lines = text[begin - 1:end]
        lines[-1] = lines[-1][:to - 1]
        condition = re.sub(r'\s+', ' ', ' '.join([lines[0][column - 1:], *lines[1:]]))
        sides[begin] += (f'true: {condition}', n_true > 0), (f'false: {condition}', n_false > 0)
    return sides


class Missed:
    """What reports an error, what has a reason, and what else was missed."""

    def __init__(self):
        self.errors, self.explained, self.others = 0, [], []

    def note(self, row, place):
        (self.explained if row else self.others).append(place)

    def counts(self):
        return self.errors, len(self.explained), len(self.others)


def cover(encoding, source, lcov, branches, folder):
    text = open(source, encoding='utf-8').read().split('\n')
    records = open(lcov, encoding='utf-8').read()
    counts = {int(line): int(n) for line, n in re.findall(r'^DA:(\d+),(\d+)', records, re.M)}
    sides = missed_sides(branches, text)
    core = set()
    for path in glob.glob('harness/core/*.[ch]'):
        core |= set(re.findall(r'\b(\w+)\(', open(path, encoding='utf-8').read()))
    reasons, side_reasons = read_reasons(REASONS), read_reasons(SIDE_REASONS)
    used, used_sides, states, side_states = set(), set(), [], []
    missed, missed_side = Missed(), Missed()
    lines, n_sides = 0, 0
    function, statement, first = '', '', 0
    seen = collections.Counter()  # lines of one function with one text, in code that is counted or not
    for number, line in enumerate(text, 1):
        if match := re.match(r'^\w[\w *]*?\b(\w+)\(', re.sub(r'^__attribute__\(\(unused\)\) ', '', line)):
            function = match[1]
        stripped = line.strip()
        seen[function, stripped] += 1
        nth = str(seen[function, stripped])
        begins = not statement or ENDS.search(text[number - 2])
        statement, first = (line, number) if begins else (statement + line, first)
        if number not in counts or function in core:
            continue
        lines += 1
        whole, last = statement_at(text, number, statement)
        if counts[number]:
            states.append((nth, function, stripped, 'reached'))
            n_sides += len(sides[number])
            inner = next((row for at in range(first, last + 1) if counts.get(at) == 0
                          if (row := reason_for(reasons, encoding, function, text[at - 1].strip()))), None)
            for side, taken in sides[number]:
                if taken:
                    side_states.append((nth, function, stripped, side, 'reached'))
                elif ERROR.search(whole) or AFTER_ERROR.search(side):
                    missed_side.errors += 1
                else:
                    row = inner
                    if not row:
                        side_states.append((nth, function, stripped, side, 'missed'))
                        if row := reason_for(side_reasons, encoding, function, stripped, side):
                            used_sides.add('\t'.join(row[:4]))
                    missed_side.note(row, f'{function}:{number}: never {side} in: {stripped}')
        elif stripped.strip(' {}') and not stripped.startswith('#'):
            if ERROR.search(whole):
                missed.errors += 1
                continue
            states.append((nth, function, stripped, 'missed'))
            if row := reason_for(reasons, encoding, function, stripped):
                used.add('\t'.join(row[:3]))
            missed.note(row, f'{function}:{number}: {stripped}')
    print(encoding, lines, *missed.counts(), n_sides, *missed_side.counts(), sep='\t')
    for star, places in (('* ', missed.others + missed_side.others), ('', missed.explained + missed_side.explained)):
        for place in places:
            print(f'    {star}{place}')
    for name, rows in ('used', used), ('used-sides', used_sides):
        with open(f'{folder}/{name}', 'a', encoding='utf-8') as file:
            file.writelines(row + '\n' for row in sorted(rows))
    for ending, rows in ('lines', states), ('sides', side_states):
        with open(f'{folder}/{encoding.replace("/", "!")}.{ending}', 'w', encoding='utf-8') as file:
            file.writelines('\t'.join(row) + '\n' for row in rows)


def read_states(folder, ending):
    """By encoding what became of each place; and by format and place which encodings reached it."""
    states, reached_by = {}, collections.defaultdict(set)
    for path in glob.glob(f'{folder}/*.{ending}'):
        encoding = path[len(folder) + 1:-len(ending) - 1].replace('!', '/')
        with open(path, encoding='utf-8') as file:
            states[encoding] = [line.rstrip('\n').split('\t') for line in file]
        for *place, state in states[encoding]:
            if state == 'reached':
                reached_by[encoding.split('/')[0], *place].add(encoding)
    return states, reached_by


def write_shared(folder, encodings_wanted, ending, path):
    states, reached_by = read_states(folder, ending)
    with open(path, encoding='utf-8') as file:
        header = file.readline()
    own = [row for row in read_reasons(path) if row[-1] != SHARED]
    rows = collections.defaultdict(list)
    for encoding, places in sorted(item for item in states.items() if item[0] in encodings_wanted):
        runs = {function for _, function, *_, state in places if state == 'reached'}
        shared = {}  # whether another encoding reaches each of the places with one text that this one misses
        for nth, function, *rest, state in places:
            if state == 'missed' and not reason_for(own, encoding, function, *rest):
                others = reached_by[encoding.split('/')[0], nth, function, *rest] - {encoding}
                shared[function, *rest] = shared.get((function, *rest), True) and bool(others)
        for function, *rest in (place for place, is_shared in shared.items() if is_shared):
            key = function, *(rest if ending == 'sides' or function in runs else ['*'])
            if encoding not in rows[key]:
                rows[key].append(encoding)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(header)
        file.writelines('\t'.join(row) + '\n' for row in own)
        for place, encodings in sorted(rows.items(), key=lambda item: (item[1], item[0])):
            file.write('\t'.join((' '.join(encodings), *place, SHARED)) + '\n')


if sys.argv[1] == '--shared':
    write_shared(sys.argv[2], sys.argv[3:], 'lines', REASONS)
    write_shared(sys.argv[2], sys.argv[3:], 'sides', SIDE_REASONS)
else:
    cover(*sys.argv[1:])
