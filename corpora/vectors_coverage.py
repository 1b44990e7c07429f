#!/usr/bin/env python3
"""What vectors reach of exported sources: vectors_coverage.sh runs it.

    vectors_coverage.py FORMAT/CODEC SOURCE.c LCOV FOLDER

Prints a row for corpora/vectors/coverage.tsv: encoding, lines, missed lines that report an error, missed lines with a
reason in corpora/vectors/unreached.tsv, other missed lines, sides of branches in lines that were reached, missed ones of
them in statements that report no error. Then the missed lines that report no error, those without a reason with a star.
Writes what became of each line to a file in FOLDER, and appends the reasons that were used to FOLDER/used.

    vectors_coverage.py --shared FOLDER ENCODING...

Writes the rows of unreached.tsv anew that have the reason "code of other encodings": of lines that the vectors of these
encodings miss and those of another encoding of the format reach. A row is of a whole function where all of it was missed.
"""
import collections
import fnmatch
import glob
import re
import sys

REASONS = 'corpora/vectors/unreached.tsv'
SHARED = 'code of other encodings'
# A statement that reports an error, passes one on or gives up.
ERROR = re.compile(
    r'fail\w*\(|_MEMORY|_CORRUPT|_TRUNCATED|_UNSUPPORTED|_OVER_LIMIT|_BAD_USAGE|\babort\(|refus|WRONG|damaged'
    r'|return (false|NULL|status|err|err->status|-1|BO_\w+|"[^"]*")?;|no_memory|no memory'
    r'|return (invalid|reject\w*|refuse\w*|corrupt|flaw)\b|->status = |->what = |error|flaw|reject|past_the_end|->bad'
    r'|goto (fail|done|out)')
ENDS = re.compile(r'[;{}]\s*(/\*.*\*/)?\s*$')


def statement_at(text, number, begin):
    whole, at = begin, number
    while at < len(text) and not ENDS.search(text[at - 1]):
        whole, at = whole + text[at], at + 1
    # What a block begins with: `if (bad) {` and on the next line the report.
    return whole + (text[at] if re.search(r'{\s*$', text[at - 1]) and at < len(text) else '')


def read_reasons():
    with open(REASONS, encoding='utf-8') as file:
        return [line.rstrip('\n').split('\t') for line in file][1:]


def reason_for(reasons, encoding, function, line):
    for codecs, functions, begin, reason in reasons:
        if (any(fnmatch.fnmatchcase(encoding, codec) for codec in codecs.split(' '))
                and fnmatch.fnmatchcase(function, functions) and (begin == '*' or line.startswith(begin))):
            return codecs, functions, begin, reason
    return None


def cover(encoding, source, lcov, folder):
    text = open(source, encoding='utf-8').read().split('\n')
    records = open(lcov, encoding='utf-8').read()
    counts = {int(line): int(n) for line, n in re.findall(r'^DA:(\d+),(\d+)', records, re.M)}
    sides = collections.defaultdict(list)
    for line, n in re.findall(r'^BRDA:(\d+),\d+,\d+,(\d+|-)', records, re.M):
        sides[int(line)].append(n not in '0-')
    core = set()
    for path in glob.glob('harness/core/*.[ch]'):
        core |= set(re.findall(r'\b(\w+)\(', open(path, encoding='utf-8').read()))
    reasons, used = read_reasons(), set()
    lines, errors, others, explained, states = 0, 0, [], [], []
    n_sides, n_missed = 0, 0
    function, statement = '', ''
    for number, line in enumerate(text, 1):
        if match := re.match(r'^\w[\w *]*?\b(\w+)\(', re.sub(r'^__attribute__\(\(unused\)\) ', '', line)):
            function = match[1]
        begins = not statement or ENDS.search(text[number - 2])
        statement = line if begins else statement + line
        if number not in counts or function in core:
            continue
        lines += 1
        whole, stripped = statement_at(text, number, statement), line.strip()
        if counts[number]:
            n_sides += len(sides[number])
            n_missed += 0 if ERROR.search(whole) else sides[number].count(False)
            states.append((function, stripped, 'reached'))
        elif stripped.strip(' {}') and not stripped.startswith('#'):
            if ERROR.search(whole):
                errors += 1
                continue
            states.append((function, stripped, 'missed'))
            if reason := reason_for(reasons, encoding, function, stripped):
                used.add(reason[:3])
                explained.append((function, number, stripped))
            else:
                others.append((function, number, stripped))
    print(*(encoding, lines, errors, len(explained), len(others), n_sides, n_missed), sep='\t')
    for star, missed in (('* ', others), ('', explained)):
        for function, number, line in missed:
            print(f'    {star}{function}:{number}: {line}')
    with open(f'{folder}/used', 'a', encoding='utf-8') as file:
        file.writelines('\t'.join(reason) + '\n' for reason in sorted(used))
    with open(f'{folder}/{encoding.replace("/", "!")}.lines', 'w', encoding='utf-8') as file:
        file.writelines('\t'.join(state) + '\n' for state in states)


def write_shared(folder, encodings_wanted):
    states = {}
    for path in glob.glob(f'{folder}/*.lines'):
        with open(path, encoding='utf-8') as file:
            states[path[len(folder) + 1:-6].replace('!', '/')] = [line.rstrip('\n').split('\t') for line in file]
    reached_by = collections.defaultdict(set)
    for encoding, lines in states.items():
        for function, line, state in lines:
            if state == 'reached':
                reached_by[encoding.split('/')[0], function, line].add(encoding)
    own = [row for row in read_reasons() if not row[3].startswith(SHARED)]
    rows = collections.defaultdict(list)
    for encoding, lines in sorted(item for item in states.items() if item[0] in encodings_wanted):
        runs = {function for function, _, state in lines if state == 'reached'}
        for function, line, state in lines:
            others = reached_by[encoding.split('/')[0], function, line]
            if state == 'missed' and others and not reason_for(own, encoding, function, line):
                key = function, line if function in runs else '*'
                if encoding not in rows[key]:
                    rows[key].append(encoding)
    with open(REASONS, 'w', encoding='utf-8') as file:
        file.write('codecs\tfunction\tline begins with\treason\n')
        file.writelines('\t'.join(row) + '\n' for row in own)
        for (function, line), encodings in sorted(rows.items(), key=lambda item: (item[1], item[0])):
            file.write(f'{" ".join(encodings)}\t{function}\t{line}\t{SHARED}\n')


if sys.argv[1] == '--shared':
    write_shared(sys.argv[2], sys.argv[3:])
else:
    cover(*sys.argv[1:])
