#!/usr/bin/env python3
"""Cuts one codec out of bakeoff's sources: `bakeoff export` runs it. Standard library only.

    amalgamate.py SOURCE FORMAT/CODEC DIR reader-only|all PREFIX SPECIFICATION SUMMARY VERSION NOTES

Splits the sources into top-level items (a function, a type, a macro, an object), follows identifiers from what the
folder's API needs, and writes the items that are reached: public types to NAME.h, the rest to NAME.c, and the format's
reference answers and text form to check.c. Functions that are not API become static.
"""
import json
import os
import re
import sys

TOKEN = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*'
                   r'|\\\n|##|->|\n|[ \t]+|.', re.S)
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
STRUCT = re.compile(r'\s*(?:typedef\s+)?(?:struct|union)\b')
LOCAL = re.compile(r'\b(?!return\b|else\b|case\b|goto\b)[A-Za-z_]\w*(?: +\**| *\*+)([a-z_]\w*)\s*(?=[=;,)[])')
# Headers other than libc's are included if one of their names is used.
OTHER_HEADERS = {'xxhash.h': 'XXH', 'zstd.h': 'ZSTD_', 'simde/x86/sse2.h': 'simde_', 'emmintrin.h': '_mm_|__m128',
                 'immintrin.h': '_mm|__m128|__m256|__m512|_pdep|_pext|_bzhi|_tzcnt'}
# The macro to define before such a header.
HEADER_MACROS = {'xxhash.h': 'XXH_INLINE_ALL', 'zstd.h': 'ZSTD_STATIC_LINKING_ONLY'}
# A header, the requirement in the folder's README, and the library to link.
NEEDS = [('<xxhash.h>', 'the header `xxhash.h` of xxHash 0.8 (BSD-2-Clause; compiled in)', ''), ('<zstd.h>', 'libzstd', 'zstd'),
         ('<zlib.h>', 'zlib', 'z'), ('<sqlite3.h>', 'SQLite 3', 'sqlite3'), ('<cmph.h>', 'libcmph', 'cmph'),
         ('<simde/', 'the headers of SIMDe', ''), ('<math.h>', '', 'm')]
UNUSED_IN_CHECKS = 'workloads|n_workloads|parse|print|link'


class Item:
    def __init__(self, kind, names, text, comment, conditions, banner, file):
        self.kind, self.names, self.text, self.comment = kind, names, text, comment
        self.conditions, self.banner, self.file = conditions, banner, file

    def words(self):
        """Identifiers but members, each with 'tag', 'local' (a variable, maybe named as a function) or ''."""
        code = COMMENT_OR_STRING.sub(' ', self.text)
        if self.kind == 'type' and STRUCT.match(code): # what it declares are members
            code = re.sub(r'\w+(?=\s*(?:[;,:]|\[[^]]*\]\s*;))', ' ', code)
        local = set(LOCAL.findall(code)) if self.kind == 'function' else ()
        found = re.findall(r'(\.\s*|->\s*|\b(?:struct|union|enum)\s+|)\b([A-Za-z_]\w*)', code)
        return {(word, 'tag' if before[:1].isalpha() else 'local' if word in local else '')
                for before, word in found if before[:1] not in ('.', '-')} | {
            (word, '') for condition in self.conditions
            for word in re.findall(r'[A-Za-z_]\w*', condition + ' ' + closing(condition))}


# ---- macros: those that make definitions are expanded --------------------------------------------


def split_arguments(tokens, at):
    """Arguments of an invocation whose '(' is at `at`, and where it ends."""
    depth, arguments, current = 0, [], []
    for i in range(at, len(tokens)):
        t = tokens[i]
        depth += (t in '([{') - (t in ')]}')
        if depth == 0:
            arguments.append(''.join(current).strip())
            return arguments, i + 1
        if t == ',' and depth == 1:
            arguments.append(''.join(current).strip())
            current = []
        elif i > at:
            current.append(t)
    return None, at


def substitute(macro, arguments, expand_argument):
    parameters, body = macro
    if parameters and parameters[-1] == '...':
        n = len(parameters) - 1
        parameters, arguments = parameters[:n] + ['__VA_ARGS__'], arguments[:n] + [', '.join(arguments[n:])]
    values = dict(zip(parameters or [], arguments))
    tokens = TOKEN.findall(body)
    out = []
    for i, t in enumerate(tokens):
        before = next((x for x in reversed(tokens[:i]) if not x.isspace()), '')
        after = next((x for x in tokens[i + 1:] if not x.isspace()), '')
        if t in values:
            if before == '#' and parameters is not None:
                while out and out[-1].isspace() or out and out[-1] == '#':
                    out.pop()
                t = '"' + values[t].replace('\\', '\\\\').replace('"', '\\"') + '"'
            else:
                t = values[t] if '##' in (before, after) else expand_argument(values[t])
        out.append('\n' if t == '\\\n' else t)
    return re.sub(r'\s*##\s*', '', ''.join(out))


def expand(text, macros, active=()):
    tokens = TOKEN.findall(text)
    out, i = [], 0
    while i < len(tokens):
        t = tokens[i]
        macro = macros.get(t) if t not in active else None
        after = i + 1
        if macro and macro[0] is not None:
            while after < len(tokens) and tokens[after].isspace():
                after += 1
            is_invocation = after < len(tokens) and tokens[after] == '('
            arguments, end = split_arguments(tokens, after) if is_invocation else (None, 0)
        else:
            arguments, end = [], i + 1
        if macro is None or arguments is None:
            out.append(t)
            i += 1
            continue
        replaced = substitute(macro, arguments, lambda a: expand(a, macros, active))
        out.append(expand(replaced, macros, active + (t,)))
        i = end
    return ''.join(out)


def parse_define(line):
    m = re.match(r'\s*#\s*define\s+(\w+)(\(([^)]*)\))?[ \t]*(.*)', line, re.S)
    parameters = [p.strip() for p in m[3].split(',')] if m[2] else None
    return m[1], (parameters, m[4])


# ---- one source file -----------------------------------------------------------------------------


class File:
    def __init__(self, tree, path):
        self.tree, self.path = tree, path
        self.items, self.locals, self.includes, self.system = [], {}, [], []
        self.macros, self.head, self.banner, self.conditions = {}, '', '', []
        self.pending = ''
        with open(os.path.join(tree.root, path), encoding='utf-8') as f:
            text = f.read()
        guard = re.search(r'^#ifndef (\w+_H)\n#define \1\n', text, re.M)
        if guard:
            end = text.rstrip().rfind('#endif')
            text = text[:guard.start()] + text[guard.end():end]
        self.guarded = bool(guard)
        self.parse(text)
        for item in self.items:
            for name in item.names:
                self.locals.setdefault(name, []).append(item)

    def add(self, kind, names, text):
        self.items.append(Item(kind, names, text.strip('\n'), self.pending, list(self.conditions), self.banner, self))
        self.pending = ''

    def directive(self, line):
        word = re.match(r'\s*#\s*(\w+)\s*(.*)', line, re.S)
        name, rest = word[1], word[2].strip()
        if name == 'include':
            if rest[0] == '<':
                self.system.append((rest[1:rest.index('>')], list(self.conditions)))
            elif rest.endswith('.h"'):
                path = rest[1:-1]
                if self.tree.is_template(path):
                    self.parse(self.template(path))
                elif path not in self.includes:
                    self.includes.append(path)
        elif name == 'define':
            macro, value = parse_define(line)
            self.macros[macro] = value
            self.tree.macros.setdefault(macro, value)
            self.add('macro', [macro], line)
        elif name in ('if', 'ifdef', 'ifndef'):
            condition = rest if name == 'if' else ('!' if name == 'ifndef' else '') + 'defined(%s)' % rest
            self.conditions.append(condition)
        elif name in ('elif', 'else'):
            negated = '!(%s)' % self.conditions.pop()
            self.conditions.append(negated if name == 'else' else negated + ' && (%s)' % rest)
        elif name == 'endif':
            self.conditions.pop()
        elif name == 'undef':
            self.macros.pop(rest, None)

    def template(self, path):
        """The text of a template header, with the macros of the file that includes it expanded."""
        with open(os.path.join(self.tree.root, path), encoding='utf-8') as f:
            text = f.read()
        out, plain, live = [], [], [True]

        def flush():
            if plain:
                out.append(expand(''.join(plain), self.macros))
                plain.clear()
        for line in re.findall(r'(?:[^\n]*\\\n)*[^\n]*\n', re.sub(r'/\*.*?\*/', '', text, flags=re.S)):
            m = re.match(r'#\s*(\w+)\s*(.*)', line)
            if not m:
                if all(live):
                    plain.append(line)
                continue
            flush()
            if m[1] in ('ifdef', 'ifndef'):
                live.append((m[2].strip() in self.macros) == (m[1] == 'ifdef'))
            elif m[1] == 'else':
                live[-1] = not live[-1]
            elif m[1] == 'endif':
                live.pop()
            elif all(live) and m[1] == 'define':
                macro, value = parse_define(line)
                self.macros[macro] = value
            elif all(live) and m[1] == 'undef':
                self.macros.pop(m[2].strip(), None)
            elif all(live) and m[1] == 'include' and self.tree.is_template(m[2].strip('"')):
                out.append(self.template(m[2].strip('"')))
            elif all(live):
                out.append(line)
        flush()
        return ''.join(out)

    def parse(self, text):
        tokens = TOKEN.findall(text)
        i, n = 0, len(tokens)
        while i < n:
            t = tokens[i]
            if t.startswith('/*'):
                banner = re.match(r'/\* -+ (.*?) -*\s*\*/', t, re.S)
                if banner:
                    self.banner = banner[1]
                elif not self.items and not self.includes and not self.head:
                    self.head = t
                else:
                    self.pending = t
            elif t == '\n':
                if i and tokens[i - 1] == '\n':
                    self.pending = ''
            elif t == '#':
                start = i
                while i < n and tokens[i] != '\n':
                    i += 1
                self.directive(''.join(tokens[start:i]))
                continue
            elif not t.isspace() and t != ';':
                i = self.declaration(tokens, i)
                continue
            i += 1

    def macro_of(self, name):
        return self.macros.get(name) or self.tree.macros.get(name)

    def declaration(self, tokens, start):
        first = tokens[start]
        macro = self.macro_of(first)
        if macro and macro[0] is not None and tokens[start + 1] == '(':
            arguments, end = split_arguments(tokens, start + 1)
            self.pending = ''
            self.parse(substitute(macro, arguments, lambda a: a) + '\n;')
            return end
        if macro and '_Pragma' in macro[1]: # X_BEGIN and X_END around functions
            if first.endswith('_BEGIN'):
                self.conditions.append(first)
            else:
                self.conditions.pop()
            return start + 1
        depth, i, last, is_function = 0, start, '', False
        while i < len(tokens):
            t = tokens[i]
            if t == '#' and tokens[i - 1] == '\n':
                while tokens[i] != '\n':
                    i += 1
                continue
            if t == '{' and depth == 0 and last == ')':
                is_function = True
            depth += (t in ('(', '[', '{')) - (t in (')', ']', '}'))
            if not t.isspace() and not t.startswith('/*'):
                last = t
            i += 1
            if depth == 0 and (t == ';' or (t == '}' and is_function)):
                break
        text = ''.join(tokens[start:i])
        if i < len(tokens) and tokens[i].isspace() and tokens[i] != '\n':
            i += 1
        if i < len(tokens) and tokens[i].startswith('/*'): # a comment after
            text += ' ' + tokens[i]
            i += 1
        kind, names = classify(text, is_function)
        if kind == 'declaration' and len(names) > 1: # each separately, so that the others can be left out
            for name in names:
                self.add(kind, [name], re.match(r'.*?(?=\b%s\b)' % names[0], text, re.S)[0] + name + ';')
        else:
            self.add(kind, names, text)
        return i


def classify(text, is_function):
    code = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    code = re.sub(r'^\s*#.*$', ' ', code, flags=re.M)
    names = re.findall(r'\b(?:struct|union|enum)\s+(\w+)\s*\{', code)
    for body in re.findall(r'\benum\s*\w*\s*\{(.*?)\}', code, re.S):
        body = re.sub(r'\([^()]*\)', '', re.sub(r'\([^()]*\)', '', body))
        names += [e.split('=')[0].strip() for e in body.split(',') if e.split('=')[0].strip()]
    bare, depth = [], 0 # without what is in braces
    for t in TOKEN.findall(code):
        depth -= t == '}'
        if depth == 0:
            bare.append(t)
        depth += t == '{'
    bare = ''.join(bare)
    bare = re.sub(r'__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)', ' ', bare)
    bare = re.sub(r'_Static_assert|_Alignas\s*\([^()]*\)', ' ', bare)
    if re.match(r'\s*_Static_assert', code):
        return 'assert', []
    if bare.lstrip().startswith('typedef'):
        m = re.search(r'\(\*\s*(\w+)\)\s*\(', bare) or re.search(r'(\w+)\s*\(', bare) or \
            re.search(r'(\w+)\s*(?:\[[^\]]*\])*\s*;', bare)
        return 'type', names + [m[1]]
    before = re.split(r'[=]', bare)[0]
    if is_function or re.match(r'[^=\[]*?\b\w+\s*\(', before):
        return ('function' if is_function else 'prototype'), [re.search(r'(\w+)\s*\(', before)[1]]
    objects = []
    flat = re.sub(r'=\s*(?:[^,;{}"]|"[^"]*"|\{\s*\})*', '', re.sub(r'\[[^\]]*\]', '', bare))
    if not re.fullmatch(r'\s*(?:const\s+|static\s+)*(?:struct|union|enum)\s*\w*\s*\{?\s*\}?\s*;\s*', flat):
        objects = re.findall(r'(\w+)\s*(?=[,;])', flat)
    names += re.findall(r'^\s*(?:struct|union)\s+(\w+)\s*;', code)
    kind = 'type' if not objects else 'declaration' if code.lstrip().startswith('extern') else 'object'
    return kind, names + objects


# ---- the tree ------------------------------------------------------------------------------------


EXTERN = re.compile(r'^(?!static|typedef|extern)[A-Za-z_][\w \t*]*?\b(\w+)(?:\(|(?:\[.*?\])* =)', re.M)


class Tree:
    def __init__(self, root, format_):
        self.root, self.format = root, format_
        self.files, self.macros, self.externs, self.visible_of = {}, {}, {}, {}
        self.texts, self.found = {}, {}
        folders = ['harness', 'codecs/' + format_]
        self.sources = sorted(
            os.path.relpath(os.path.join(at, name), root) for folder in folders
            for at, _, names in os.walk(os.path.join(root, folder)) for name in names
            if name.endswith('.c') and not name.startswith('test_'))
        self.sources = [path for path in self.sources if not path.startswith('harness/check/')]
        for path in self.sources:
            for m in EXTERN.finditer(self.text(path)):
                self.externs.setdefault(m[1], path)

    def is_template(self, path):
        return not re.search(r'^#ifndef \w+_H$', self.text(path), re.M)

    def file(self, path):
        if path not in self.files:
            # Headers come first: their macros determine how a line of the file is read.
            for include in self.includes(path):
                if self.is_template(include):
                    self.headers_of_template(include)
                else:
                    self.file(include)
            self.files[path] = File(self, path)
        return self.files[path]

    def headers_of_template(self, path):
        for include in self.includes(path):
            if not self.is_template(include):
                self.file(include)

    def file_of_codec(self, symbol, codec):
        def likeness(path):
            stem = os.path.basename(path)[:-2]
            return (symbol[len(self.format) + 1:].startswith(stem) and len(stem), symbol in self.text(path))
        for path in sorted((p for p in self.sources if p.startswith('codecs/')), key=likeness, reverse=True):
            if any(likeness(path)) or '"%s"' % codec in self.text(path) or any(
                    map(self.is_template, self.includes(path))):
                found = self.file(path).locals.get(symbol)
                if found and found[0].kind == 'object':
                    return path
        sys.exit('bakeoff: export: no source file defines ' + symbol)

    def text(self, path):
        if path not in self.texts:
            with open(os.path.join(self.root, path), encoding='utf-8') as f:
                self.texts[path] = f.read()
        return self.texts[path]

    def includes(self, path):
        return re.findall(r'^#\s*include "(.*?\.h)"', self.text(path), re.M)

    def find(self, name, file):
        """The items that a name means in a file, and (extern functions and objects) their definitions."""
        if (name, file) not in self.found:
            self.found[name, file] = self.look_up(name, file)
        return self.found[name, file]

    def look_up(self, name, file):
        if name in file.locals and not file.guarded:
            found = list(file.locals[name])
            return found + (self.declarations(name, file) if not is_static(found[0]) else [])
        found = self.declarations(name, file)
        promised = [i for i in found if i.kind in ('prototype', 'declaration')]
        return found + (self.definitions(name, promised[0].file.path) if promised else [])

    def definitions(self, name, header):
        """The definitions of what a header declares; those that a macro makes are beside the header."""
        if name in self.externs:
            likely = [self.externs[name]]
        else:
            beside = [p for p in self.sources if os.path.dirname(p) == os.path.dirname(header)]
            likely = sorted(beside, key=lambda p: p[:-2] != header[:-2])
        for path in likely:
            found = [i for i in self.file(path).locals.get(name, []) if i.kind in ('function', 'object')]
            if found:
                return found
        sys.exit('bakeoff: export: the codec needs %s, which no C file implements' % header)

    def visible(self, file):
        """The headers that a file includes, directly or not, and itself."""
        if file.path not in self.visible_of:
            seen, work = {file.path: file}, [file]
            while work:
                for path in work.pop().includes:
                    if path not in seen:
                        seen[path] = self.file(path)
                        work.append(seen[path])
            self.visible_of[file.path] = [f for f in seen.values() if f.guarded]
        return self.visible_of[file.path]

    def declarations(self, name, file):
        return [item for header in self.visible(file) for item in header.locals.get(name, [])]


def reach(tree, roots, provided, edit):
    """All items that the roots need, but for those that the header provides."""
    live, work = {}, list(roots)
    while work:
        item = work.pop()
        if id(item) in live or id(item) in provided:
            continue
        live[id(item)] = item
        edit(item)
        for word, role in item.words():
            work += [f for f in tree.find(word, item.file) if id(f) not in live and not (
                role == 'tag' and f.kind != 'type' or role == 'local' and f.kind in ('function', 'prototype'))]
    return live


# ---- writing -------------------------------------------------------------------------------------


def order_of_files(tree, live):
    ordered, seen = [], set()

    def visit(path):
        if path in seen:
            return
        seen.add(path)
        file = tree.files[path]
        for include in file.includes:
            visit(include)
        ordered.append(file)
    paths = {item.file.path for item in live.values()}
    for path in sorted(paths, key=lambda p: (not p.endswith('.h'), not p.startswith('harness'), p)):
        visit(path)
    return sorted((f for f in ordered if f.path in paths), key=lambda f: not f.path.endswith('.h'))


def is_static(item):
    """Said so before the name, perhaps by a macro."""
    head = item.text[:re.search(r'\b%s\b' % item.names[-1], item.text).start()]
    work, seen = re.findall(r'\w+', head), set()
    while work:
        word = work.pop()
        macro = item.file.macro_of(word)
        if word == 'static':
            return True
        if macro and word not in seen:
            seen.add(word)
            work += re.findall(r'\w+', macro[1])
    return False


def body_of(item, api, renamed, everywhere):
    text = item.text
    if item.kind in ('function', 'prototype') and not is_static(item) and not api.intersection(item.names):
        text = 'static ' + text
    if item.kind == 'function' and not everywhere.intersection(item.names) and not api.intersection(item.names):
        text = '__attribute__((unused)) ' + text
    if item.kind == 'declaration' and '[]' not in text:
        text = text.replace('extern ', 'static ', 1)
    if item.kind == 'object' and not is_static(item) and item.names[-1] not in renamed['extern']:
        text = 'static ' + text
    names = renamed.get(item.file.path)
    if names:
        text = rename(text, names, item.kind == 'type' and STRUCT.match(text))
    return RANGE.sub(list_range, text)


def rename(text, names, is_struct):
    """Identifiers, but not members: neither where they are used nor where a struct declares them."""
    tokens = TOKEN.findall(text)
    for i, token in enumerate(tokens):
        if token in names:
            before = next((t for t in reversed(tokens[:i]) if not t.isspace()), '')
            after = next((t for t in tokens[i + 1:] if not t.isspace()), '')
            is_declared = after in (';', ',', '[', ':') or before == '*' and after == ')'
            if before not in ('.', '->') and not (is_struct and is_declared):
                tokens[i] = names[token]
    return ''.join(tokens)


# GNU's ranges of elements: [A ... B] = X
RANGE = re.compile(r"\[((?:'.*?'|[^]'])+?) \.\.\. ((?:'.*?'|[^]'])+?)\] = (\w+)")


def list_range(match):
    first, last = (eval(re.sub(r"'(\\?.)'", lambda m: str(ord(eval(m[0]))), match[i]), {}) for i in (1, 2))
    return ', '.join('[%d] = %s' % (i, match[3]) for i in range(first, last + 1))


def is_region(condition):
    return condition.endswith('_BEGIN')


def closing(condition):
    return condition[:-len('BEGIN')] + 'END\n' if is_region(condition) else '#endif\n'


def used_everywhere(live):
    """The words of code that is compiled on every machine: outside of #if and of functions that nothing else uses."""
    words = set()
    for item in live.values():
        if not all(is_region(c) for c in item.conditions):
            continue
        depth, sure = 0, []
        for line in item.text.split('\n'):
            directive = re.match(r'\s*#\s*(if|endif)', line)
            depth += (directive[1] == 'if') - (directive[1] == 'endif') if directive else 0
            if depth == 0:
                sure.append(line)
        words.update(set(re.findall(r'\w+', '\n'.join(sure))) - (set(item.names) if item.kind != 'type' else set()))
    return words


def write_items(tree, live, api, taken=()):
    """The text of all live items: headers in the order of their includes, then the other files."""
    files = order_of_files(tree, live)
    renamed = {'extern': {n for i in live.values() if i.kind == 'declaration' and '[]' in i.text for n in i.names}}
    owners = {}
    for item in live.values():
        for name in item.names:
            if item.kind != 'macro':
                private = not item.file.guarded and not tree.declarations(name, item.file) and \
                    (item.kind == 'type' or is_static(item))
                owners.setdefault(name, set()).add(item.file.path if private else '')
    for name, paths in owners.items():
        for path in sorted(paths)[1:]:
            renamed.setdefault(path, {})[name] = name + '_' + os.path.basename(path)[:-2]
    for file in files: # internal names that are those of the API
        renamed.setdefault(file.path, {}).update({n: n + '_payload' for n in taken})
    everywhere = used_everywhere(live)
    out, conditions = [], []
    for file in files:
        items = [i for i in file.items if id(i) in live]
        out.append('\n/* ==== %s %s */\n' % (file.path, '=' * max(0, 88 - len(file.path))))
        if file.head:
            out.append(file.head + '\n')
        for item in items:
            common = 0
            while common < min(len(conditions), len(item.conditions)) and conditions[common] == item.conditions[common]:
                common += 1
            out += [closing(c) for c in reversed(conditions[common:])]
            out += [c + '\n' if is_region(c) else '#if %s\n' % c for c in item.conditions[common:]]
            conditions = item.conditions
            out.append(('\n' if item.kind != 'macro' or item.comment else '') +
                       (item.comment + '\n' if item.comment else '') + body_of(item, api, renamed, everywhere) + '\n')
        out += [closing(c) for c in reversed(conditions)]
        conditions = []
        if not file.guarded:
            out += ['#undef %s\n' % n for n in dict.fromkeys(n for i in items if i.kind == 'macro' for n in i.names)]
    return ''.join(out)


def system_includes(tree, live):
    words = {w for i in live.values() for w, _ in i.words()}
    wanted = {}
    files = {i.file.path for i in live.values()}
    while files: # headers of headers, too
        path = files.pop()
        file = tree.files[path]
        files |= {p for p in file.includes if p not in wanted.get('', set())}
        wanted.setdefault('', set()).update(file.includes)
        for header, conditions in file.system:
            names = OTHER_HEADERS.get(header)
            if names is None or any(re.match('(?:%s)' % names, w) for w in words):
                wanted.setdefault(header, []).append(conditions)
    wanted.pop('', None)
    out = []
    for header in sorted(wanted, key=lambda h: (h in OTHER_HEADERS, h)):
        conditions = min(wanted[header], key=len)
        out += ['#if %s\n' % c for c in conditions]
        if header in HEADER_MACROS:
            out.append('#define %s\n' % HEADER_MACROS[header])
        out.append('#include <%s>\n' % header)
        out += ['#endif\n'] * len(conditions)
    return ''.join(out)


def drop_fields(item, fields):
    item.text = re.sub(r'[ \t]*\.(?:%s) = [^,{}]*,[ \t]*(?:\\)?\n' % fields, '', item.text)


WRAPPERS = '''
/* ---- the codec ------------------------------------------------------------------------------- */
%(encode_doc)s
/*
 * Rebuilds the model in `arena`, or the part of it that the encoding holds. The model may point
 * into `in`, which must outlive it.
 */
enum bo_status %(name)s_decode(struct bo_span in, struct bo_arena *arena,
                               struct %(format)s_model **model_ret, struct bo_error *err);

/*
 * Makes a reader in `arena` that answers queries from `in`; both must outlive it. After BO_OK no
 * query reads outside of the input, whatever its bytes are. One thread at a time uses a reader and
 * its arena.
 */
enum bo_status %(name)s_open(struct bo_span in, struct bo_arena *arena, void **reader_ret,
                             struct bo_error *err);

/*
 * Answers n queries of one kind (enum %(format)s_query_kind), separately and in order. For a kind
 * of fixed answer size, `answers` is an array of n answers, else it is a struct bo_sink.
 * BO_OUT_OF_RANGE for a query outside of the document, BO_OVER_LIMIT when a sink is full or the
 * budget is used up (`err` names it). The answers are then unspecified. `queries` may be NULL for
 * a kind without arguments. `err` may be NULL.
 */
enum bo_status %(name)s_query(void *reader, unsigned kind, const void *queries, size_t n,
                              void *answers, struct bo_error *err);
'''

ENCODE_DOC = '''
/*
 * Appends the model's encoding to `out`: out->n bytes at out->p. Scratch memory comes from
 * out->arena. BO_UNSUPPORTED when the encoding cannot hold this model. The model must follow the
 * rules in the comments of its types, as one that `decode` returns does. This is not checked; for
 * any other model the behaviour is undefined.
 */
enum bo_status %(name)s_encode(const struct %(format)s_model *model, struct bo_writer *out,
                               struct bo_error *err);
'''

DEFINITIONS = '''
/* ==== the codec ================================================================================ */
%(encode)s
enum bo_status %(name)s_decode(struct bo_span in, struct bo_arena *arena,
                               struct %(format)s_model **model_ret, struct bo_error *err)
{
    void *model = NULL;
    const enum bo_status status = %(symbol)s.decode(%(self)sin, arena, &model, err);
    *model_ret = model;
    return status;
}

enum bo_status %(name)s_open(struct bo_span in, struct bo_arena *arena, void **reader_ret,
                             struct bo_error *err)
{
    return %(symbol)s.open(%(self)sin, arena, reader_ret, err);
}

enum bo_status %(name)s_query(void *reader, unsigned kind, const void *queries, size_t n,
                              void *answers, struct bo_error *err)
{
    if (kind >= 32 || !(%(symbol)s.kinds >> kind & 1))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "query kind without a reader");
    bo_fail(err, BO_OK, BO_NO_OFFSET, "");
    const enum bo_status status = %(symbol)s.query(%(self)sreader, kind, queries, n, answers, err);
    return status && err && !err->status
               ? bo_fail(err, status, BO_NO_OFFSET,
                         status == BO_OVER_LIMIT ? "sink is full" : "query is out of range")
               : status;
}
'''

ENCODE_DEFINITION = '''
enum bo_status %(name)s_encode(const struct %(format)s_model *model, struct bo_writer *out,
                               struct bo_error *err)
{
    return %(symbol)s.encode(%(self)smodel, out, err);
}
'''

# Functions of codecs and oracles share their signatures with those of all codecs and queries.
UNUSED = '#pragma GCC diagnostic ignored "-Wunused-parameter"\n'

API = ['bo_arena_init', 'bo_arena_free', 'bo_writer_init', 'bo_writer_free', 'bo_status_name']
API_TYPES = ['bo_status', 'bo_error', 'BO_NO_OFFSET', 'bo_span', 'bo_arena', 'BO_ARENA_UNLIMITED', 'bo_writer',
             'bo_sink']


MADE = 'Made by `bakeoff export`; not to be edited.'


def remove_earlier(folder):
    """Removes the code and the vectors of an earlier export, perhaps of another codec or prefix."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if re.search(r'\.[ch]$', name):
            with open(path, encoding='utf-8', errors='replace') as f:
                is_made = MADE in f.read(4096)
            if is_made:
                os.remove(path)
    vectors = os.path.join(folder, 'vectors')
    for name in os.listdir(vectors) if os.path.isdir(vectors) else ():
        if re.fullmatch(r'(in)?valid-\d+\.(bin|txt)', name):
            os.remove(os.path.join(vectors, name))


def main():
    root, codec, folder, what, prefix, specification, summary, version, notes = sys.argv[1:]
    format_ = codec.split('/')[0]
    name = symbol = re.sub(r'\W', '_', codec)
    tree = Tree(root, format_)
    codec_file = tree.file(tree.file_of_codec(symbol, codec.split('/')[1]))
    header = tree.file('codecs/%s/%s.h' % (format_, format_))
    fields = {'name': name, 'format': format_, 'symbol': symbol, 'self': '&%s, ' % symbol}
    reader_only = what == 'reader-only'
    tree.file('harness/format.h')
    spdx = '/* SPDX-License-Identifier: %s */\n' % licence(tree)
    made = spdx + '/* %s\n * ' + MADE + ' */\n'

    public_roots = [i for n in API_TYPES for i in tree.declarations(n, header) if i.kind in ('type', 'macro')]
    public_roots += [i for i in header.items if i.kind in ('type', 'macro') and
                     re.match('the model|queries', i.banner)]
    public_roots += [i for n in API for i in tree.declarations(n, header) if i.kind == 'prototype']
    public = {}
    for item in public_roots: # types and macros alone: not the functions behind a prototype
        work = [item]
        while work:
            i = work.pop()
            if id(i) in public:
                continue
            public[id(i)] = i
            work += [f for w, _ in i.words() for f in tree.find(w, i.file) if f.kind in ('type', 'macro')]
    api = set(API)
    includes = ''.join('#include <%s>\n' % h for h in ('stdbool.h', 'stddef.h', 'stdint.h'))
    guard = name.upper() + '_H'
    interface = made % (codec + ': the model, the queries and the codec.') + \
        '#ifndef %s\n#define %s\n\n%s\n#ifdef __cplusplus\nextern "C" {\n#endif\n' % (guard, guard, includes) + \
        write_items(tree, public, api) + \
        WRAPPERS % dict(fields, encode_doc='' if reader_only else ENCODE_DOC % fields) + \
        '\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n'

    roots = [i for i in codec_file.locals[symbol]] + tree.declarations('bo_fail', header)
    for n in API:
        roots += tree.find(n, codec_file)

    def edit_codec(item):
        if symbol in item.names and reader_only:
            drop_fields(item, 'encode|reduce')
    live = reach(tree, roots, public, edit_codec)
    system = includes_of = system_includes(tree, live)
    definitions = DEFINITIONS % dict(fields, encode='' if reader_only else ENCODE_DEFINITION % fields)
    text = made % (codec + ', in one file.') + UNUSED + '#include "%s.h"\n\n' % name + system + \
        write_items(tree, live, api, {'%s_%s' % (name, f) for f in ('encode', 'decode', 'open', 'query')}) + definitions
    remove_earlier(folder)
    os.replace(os.path.join(folder, 'vectors.json.new'), os.path.join(folder, 'vectors.json'))
    save(folder, name + '.h', interface, format_, prefix)
    save(folder, name + '.c', text, format_, prefix)

    queries = tree.file('codecs/%s/queries.h' % format_)
    checks = tree.text('cli/export/check.c.in').replace('@format@', format_).replace('@FORMAT@', format_.upper())
    roots = tree.find(format_ + '_print', tree.file('codecs/%s/text.h' % format_))
    for word in set(re.findall(r'\w+', checks)):
        roots += tree.find(word, queries)
    provided = dict(public)
    for n in API:
        for i in tree.find(n, queries):
            provided[id(i)] = i
    live = reach(tree, [i for i in roots if id(i) not in provided], provided,
                 lambda item: drop_fields(item, UNUSED_IN_CHECKS))
    system = system_includes(tree, live)
    text = made % 'Reference answers, computed from the model alone, and the text form.' + UNUSED + \
        '#include "check.h"\n\n' + system + write_items(tree, live, api)
    needs = [n for n in NEEDS if n[0] in includes_of + system]
    pages = copy_pages(tree, specification, folder)
    values = {
        'name': name, 'format': format_, 'FORMAT': format_.upper(), 'codec': codec, 'LICENCE': licence(tree),
        'ENCODES': '%d' % (not reader_only), 'summary': summary[0].upper() + summary[1:], 'version': version,
        'libs': ' '.join('-l' + n[2] for n in needs if n[2]), 'cmake_libs': ' '.join(n[2] for n in needs if n[2]),
        'needs': ''.join(', and ' + n[1] for n in needs if n[1]), 'pages': ''.join(', `%s`' % p for p in pages),
        'notes': notes, 'encode_use': '' if reader_only else ', `%s_encode` writes one' % name}
    for template in sorted(os.listdir(os.path.join(root, 'cli/export'))):
        if template.endswith('.in'):
            filled = re.sub(r'@(\w+)@', lambda m: values[m[1]], tree.text('cli/export/' + template))
            save(folder, template[:-3], (text if template == 'check.c.in' else '') + filled, format_, prefix)
    split_vectors(folder)
    save(folder, 'LICENSE', tree.text('LICENSE'), format_, '')


def split_vectors(folder):
    """vectors/ from vectors.json: files that a C program reads without a parser."""
    with open(os.path.join(folder, 'vectors.json'), encoding='utf-8') as f:
        vectors = json.load(f)
    os.makedirs(os.path.join(folder, 'vectors'), exist_ok=True)
    index = []

    def write(name, content):
        with open(os.path.join(folder, 'vectors', name), 'wb') as f:
            f.write(content)
    for i, vector in enumerate(vectors['valid']):
        model = vector['model'].encode() if 'model' in vector else bytes.fromhex(vector['model_hex'])
        write('valid-%d.bin' % i, bytes.fromhex(vector['bytes']))
        write('valid-%d.txt' % i, model)
        index.append('valid-%d 0 valid' % i)
    for i, vector in enumerate(vectors['invalid']):
        write('invalid-%d.bin' % i, bytes.fromhex(vector['bytes']))
        offset = 2 ** 64 - 1 if vector['offset'] is None else vector['offset']
        index.append('invalid-%d %d %s' % (i, offset, vector['status']))
    write('index.txt', ('\n'.join(index) + '\n').encode())


def licence(tree):
    return re.search(r'(Apache) License\s+Version (2.0)', tree.text('LICENSE')).expand(r'\1-\2')


def copy_pages(tree, specification, folder):
    """SPECIFICATION.md is the codec's section; the format's page and those that it links are beside it."""
    path, anchor = specification.split('#')
    page = tree.text(path)
    pages = {'FORMAT.md': path, 'primitives.md': 'docs/primitives.md', 'vectors.md': 'docs/vectors.md'}
    section, level = [], 0
    for line in page.split('\n'):
        heading = re.match(r'(#+) (.*)', line)
        if heading and level and len(heading[1]) <= level:
            break
        if heading and re.sub(r'[^\w-]', '', heading[2].lower().replace(' ', '-')) == anchor:
            level = len(heading[1])
        if level:
            section.append(line)
    for link in re.findall(r'\]\((\.\./[^)#]*\.md)', page):
        if os.path.basename(link) != 'README.md': # each folder has one
            pages[os.path.basename(link)] = os.path.normpath(os.path.join(os.path.dirname(path), link))

    def local(text):
        text = re.sub(r'\[([^]]*)\]\([^)#:]*/README\.md[^)]*\)', r'\1', text)
        return re.sub(r'\]\([^)#:]*/([^)/]*\.md)', r'](\1', text)
    for name, source in pages.items():
        save(folder, name, local(tree.text(source)), '', '')
    text = re.sub(r'\]\(#', '](FORMAT.md#', local('\n'.join(section)))
    save(folder, 'SPECIFICATION.md', text, '', '')
    return sorted(pages)


def save(folder, name, text, format_, prefix):
    if re.search(r'\.[ch]$', name):
        text = re.sub(r'(?<![/\w])README\.md( in( \*)?\s+(\* )?this\s+(\* )?folder)?', 'FORMAT.md', text)
    if prefix:
        text = re.sub(r'\b(?=(?:bo|%s)_)' % format_, prefix, text)
        text = re.sub(r'\b(?=(?:BO|%s)_)' % format_.upper(), prefix.upper(), text)
        name = re.sub(r'^(?=%s_)' % format_, prefix, name)
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
        f.write(re.sub(r'\n{3,}', '\n\n', text))


main()
