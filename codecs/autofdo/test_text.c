/*
 * The text form of AutoFDO. Why: it is LLVM's, so what we print must be what LLVM prints and reads,
 * and each mistake must be pointed at with its byte.
 */
#include "codecs/autofdo/test_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/core/test_fixture.h"

/* ---- one spelling ---------------------------------------------------------------------------- */

/* What is read, and its canonical form. */
TEST(test_canonical_form)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"# nothing\n\n   # here\n", ""},
        {"f:0:0", "f:0:0\n"},
        {"f:7:1\r\n 1: 5\r\n\r\n", "f:5:1\n 1: 5\n"},                   /* totals are computed */
        {"f:01:007\n 01.02: 05\n 1.0: 1\n", "f:6:7\n 1: 1\n 1.2: 5\n"}, /* zeros may lead */
        {"b:0:0\na:0:0\n", "a:0:0\nb:0:0\n"},
        {"a:0:0\n 1: 5\nb:0:0\n 1: 6\n", "b:6:0\n 1: 6\na:5:0\n 1: 5\n"}, /* the highest first */
        {"f:0:0\n 3: g:0\n  1: 2\n 2: 4\n", "f:6:0\n 2: 4\n 3: g:2\n  1: 2\n"},
        {"f:0:0\n 9: 1 a:1 b:2  c:2   d:0\n", "f:1:0\n 9: 1 b:2 c:2 a:1 d:0\n"},
        {"f:0:0\n 1: 5 a:1\n 1: 6 b:2 a:2\n", "f:11:0\n 1: 11 a:3 b:2\n"}, /* as LLVM adds */
        {"f:0:0\n 1: g:0\n  2: 5\n 1: h:0\n 1: g:0\n  3: 1\n  2: 4\n",
         "f:10:0\n 1: g:10\n  2: 9\n  3: 1\n 1: h:0\n"},
        {"f:0:0\n 1: h:0\n 1: g:0\n", "f:0:0\n 1: g:0\n 1: h:0\n"},
        {"f:0:0\n 2: g:0\n 1: h:0\n", "f:0:0\n 1: h:0\n 2: g:0\n"},
        {"f:0:0\n 1: g:0\n 1: g:0\n", "f:0:0\n 1: g:0\n"},
        {"f:0:0\n 2: 1\n 1: 3\n", "f:4:0\n 1: 3\n 2: 1\n"},
        {"f:0:0\n 65535.4294967295: 18446744073709551615\n",
         "f:18446744073709551615:0\n 65535.4294967295: 18446744073709551615\n"},
        {"f:0:0\n 1: 18446744073709551615\n 2: 9\n", /* totals stop */
         "f:18446744073709551615:0\n 1: 18446744073709551615\n 2: 9\n"},
        {"a:b:5:0:1\n 1: 2 c::3 d:1:4\n 2: x::y:9\n", "a:b:5:2:1\n 1: 2 d:1:4 c::3\n 2: x::y:0\n"},
        {"e<void (*&)(void*), int>:0:1\n 1: 2 a: 1:3 b c:4\n 2: d e:0\n",
         "e<void (*&)(void*), int>:2:1\n 1: 2 b c:4 a: 1:3\n 2: d e:0\n"},
        {"# c\n#@ timestamp 5\n# c\nf:0:0\n#@ timestamp 0\ng:0:0\n",
         "#@ timestamp 5\nf:0:0\ng:0:0\n"},
        {"#@ timestamp 18446744073709551615\ng:0:0\nf:0:0\n",
         "f:0:0\n#@ timestamp 18446744073709551615\ng:0:0\n"},
        {"f:0:0\n#@ file g\tb c.h\n 1: g:0\n#@ file f\t\n",
         "#@ file f\n#@ file g\tb c.h\nf:0:0\n 1: g:0\n"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct autofdo_model *model = parse_text(cases[i][0], &arena);
        assert_string_equal((const char *)print_text(model, &arena).p, cases[i][1]);
        assert_null(format->differ(model, parse_text(cases[i][1], &arena)));
        assert_null(autofdo_model_flaw(model, &arena));
    }
}

TEST(test_generated_models_survive)
{
    expect_texts_survive(60, 120);
}

/* The model holds nothing of the text that it came from. */
TEST(test_text_may_go)
{
    static const char text[] = "#@ file f\tpath\nf:1:1\n 1: 1 t:1\n 2: c:0\n";
    uint8_t *copy = malloc(sizeof text);
    void *model;
    memcpy(copy, text, sizeof text);
    assert_int_equal(format->parse((struct bo_span){copy, sizeof text - 1}, &arena, &model, NULL),
                     BO_OK);
    memset(copy, 'z', sizeof text);
    free(copy);
    assert_string_equal((const char *)print_text(model, &arena).p, text);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

TEST(test_mistakes)
{
    static const struct {
        const char *text;
        uint64_t off;
        enum bo_status status;
        const char *what;
    } cases[] = {
        {"f\n", 0, BO_CORRUPT, "function is not NAME:TOTAL:HEAD"},
        {"f:1\n", 0, BO_CORRUPT, "function is not NAME:TOTAL:HEAD"},
        {"f:0:0\ng:1:x\n", 6, BO_CORRUPT, "function is not NAME:TOTAL:HEAD"},
        {"f:1:-1\n", 0, BO_CORRUPT, "function is not NAME:TOTAL:HEAD"},
        {"f:1:18446744073709551616\n", 0, BO_CORRUPT, "function is not NAME:TOTAL:HEAD"},
        {"f:18446744073709551616:1\n", 0, BO_CORRUPT, "function is not NAME:TOTAL:HEAD"},
        {":1:1\n", 0, BO_CORRUPT, "empty name"},
        {"3f:1:1\n", 0, BO_CORRUPT, "name starts with a digit, #, !, [ or a colon"},
        {"a\x01:1:1\n", 0, BO_CORRUPT, "name holds a control character"},
        {"f:1:1\n\tx:1:1\n", 6, BO_CORRUPT, "name holds a control character"},
        {"[f @ g]:1:1\n", 0, BO_UNSUPPORTED, "profiles with calling contexts are not supported"},
        {" 1: 5\n", 1, BO_CORRUPT, "line outside of a function"},
        {"f:1:1\n  1: 5\n", 8, BO_CORRUPT, "indentation exceeds the number of open instances"},
        {"f:1:1\n 1: 5\n  2: 5\n", 14, BO_CORRUPT,
         "indentation exceeds the number of open instances"},
        {"f:1:1\n   \n", 6, BO_CORRUPT, "line has nothing but blanks"},
        {"f:1:1\n !CFGChecksum: 5\n", 7, BO_UNSUPPORTED,
         "metadata (probe checksums, attributes) is not supported"},
        {"f:1:1\n x: 5\n", 7, BO_CORRUPT, "line is not a number up to 65535"},
        {"f:1:1\n -1: 5\n", 7, BO_CORRUPT, "line is not a number up to 65535"},
        {"f:1:1\n 65536: 5\n", 7, BO_CORRUPT, "line is not a number up to 65535"},
        {"f:1:1\n 65536.1: 5\n", 7, BO_CORRUPT, "line is not a number up to 65535"},
        {"f:1:1\n 1.: 5\n", 9, BO_CORRUPT, "discriminator is not a number below 2^32"},
        {"f:1:1\n 1.4294967296: 5\n", 9, BO_CORRUPT, "discriminator is not a number below 2^32"},
        {"f:1:1\n 1 : 5\n", 8, BO_CORRUPT, "no ': ' and count or callee after a place"},
        {"f:1:1\n 1:5\n", 9, BO_CORRUPT, "no ': ' and count or callee after a place"},
        {"f:1:1\n 1: \n", 10, BO_CORRUPT, "no ': ' and count or callee after a place"},
        {"f:1:1\n 1: 18446744073709551616\n", 10, BO_CORRUPT, "count is not a number below 2^64"},
        {"f:1:1\n 1: 5x\n", 11, BO_CORRUPT, "count is not followed by a blank"},
        {"f:1:1\n 1: 5 \n", 12, BO_CORRUPT, "target is not NAME:COUNT"},
        {"f:1:1\n 1: 5 a\n", 12, BO_CORRUPT, "target is not NAME:COUNT"},
        {"f:1:1\n 1: 5 a:1 b:\n", 16, BO_CORRUPT, "target is not NAME:COUNT"},
        {"f:1:1\n 1: 5 :1\n", 12, BO_CORRUPT, "empty name"},
        {"f:1:1\n 1: 5 a:1 b:1 a:1\n", 11, BO_CORRUPT, "record has two targets with the same name"},
        {"f:1:1\n 1: g\n", 10, BO_CORRUPT, "neither a count nor a callee as NAME:TOTAL"},
        {"f:1:1\n 1: #g:1\n", 10, BO_CORRUPT, "name starts with a digit, #, !, [ or a colon"},
        {"f:1:1\ng:1:1\nf:1:1\n", 12, BO_CORRUPT, "two functions have the same name"},
        {"f:1:1\ng:1:1\n 1: 18446744073709551615\n 1: 1\n", 6, BO_CORRUPT,
         "counts of one place add up to more than 2^64 - 1"},
        {"#@timestamp 1\nf:1:1\n", 0, BO_CORRUPT, "no blank after #@"},
        {"#@\nf:1:1\n", 0, BO_CORRUPT, "no blank after #@"},
        {"#@ timestamp\nf:1:1\n", 12, BO_CORRUPT, "timestamp is not a number below 2^64"},
        {"#@ file\nf:1:1\n", 7, BO_CORRUPT, "empty name"},
        {"#@ time 1\nf:1:1\n", 0, BO_CORRUPT, "#@ is neither for a timestamp nor for a file"},
        {"#@ timestamp x\nf:1:1\n", 13, BO_CORRUPT, "timestamp is not a number below 2^64"},
        {"#@ timestamp 1 \nf:1:1\n", 14, BO_CORRUPT, "timestamp is not a number below 2^64"},
        {"f:1:1\n#@ timestamp 1\n#@ timestamp 1\ng:1:1\n", 21, BO_CORRUPT,
         "function has two timestamps"},
        {"f:1:1\n#@ timestamp 1\n 1: 5\n", 21, BO_CORRUPT, "timestamp does not precede a function"},
        {"f:1:1\n#@ timestamp 1\n", 6, BO_CORRUPT, "timestamp does not precede a function"},
        {"f:1:1\n#@ file g\ta\n", 6, BO_CORRUPT, "file of a function that is not in the profile"},
        {"f:1:1\n 1: 1 t:1\n#@ file t\ta\n", 16, BO_CORRUPT,
         "file of a function that is not in the profile"},
        {"#@ file f\ta\n#@ file f\ta\nf:1:1\n", 12, BO_CORRUPT, "function has two files"},
        {"#@ file \ta\nf:1:1\n", 8, BO_CORRUPT, "empty name"},
        {"#@ file f\ta\tb\nf:1:1\n", 10, BO_CORRUPT, "path holds a control character"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        expect_mistake(bo_span_of(cases[i].text), cases[i].off, cases[i].status, cases[i].what);
    expect_mistake((struct bo_span)BYTES("f:1:1\n # \0\n"), 9, BO_CORRUPT, "text holds a NUL");
}

/* A function with callees inside each other; `depth` counts all of them. */
static struct bo_span nested_text(unsigned depth)
{
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    bo_put_text(&out, "f:0:0\n");
    for (unsigned i = 1; i < depth; i++)
        bo_put_text(&out, "%*s1: c:0\n", (int)i, "");
    uint8_t *p = bo_alloc(&arena, out.n);
    memcpy(p, out.p, out.n);
    const struct bo_span text = {p, out.n};
    bo_writer_free(&out);
    return text;
}

TEST(test_depth)
{
    struct bo_error error = {0};
    void *model;
    const struct bo_span deepest = nested_text(AUTOFDO_MAX_DEPTH);
    assert_int_equal(format->parse(deepest, &arena, &model, NULL), BO_OK);
    assert_true(bo_span_equal(print_text(model, &arena), deepest));
    assert_int_equal(format->parse(nested_text(AUTOFDO_MAX_DEPTH + 1), &arena, &model, &error),
                     BO_OVER_LIMIT);
    assert_true(error.off == deepest.n + AUTOFDO_MAX_DEPTH + 3);
}

TEST(test_each_allocation_fails)
{
    static const char text[] = "#@ file c\ta\n#@ timestamp 9\nf:0:0\n 2: 1 t:1 u:2\n 1: c:0\n"
                               "  1: 1\n  1: 1 t:1\n 1: c:0\n  2: 5\ng:0:1\n";
    bool complete = false;
    for (uint64_t n = 1; !complete; n++) {
        struct bo_arena small;
        struct bo_writer out;
        struct bo_error error = {0};
        void *model;
        bo_arena_init(&small, BO_ARENA_UNLIMITED);
        small.fail_at = n;
        enum bo_status status = format->parse(bo_span_of(text), &small, &model, &error);
        bo_writer_init(&out, &small);
        if (!status)
            status = format->print(model, &out, &error);
        complete = small.n_allocs < n;
        assert_int_equal(status, complete ? BO_OK : BO_NO_MEMORY);
        assert_int_equal(error.status, status);
        bo_writer_free(&out);
        bo_arena_free(&small);
    }
}

/* A name of a megabyte, and a record of 100000 targets: no work but what is linear. */
TEST(test_long_lines)
{
    struct bo_writer out;
    void *model;
    bo_writer_init(&out, &arena);
    for (unsigned i = 0; i < 1 << 20; i++)
        bo_put_u8(&out, 'x');
    bo_put_text(&out, ":0:0\n 1: 5");
    for (unsigned i = 0; i < 100000; i++)
        bo_put_text(&out, " t%u:%u", i, i);
    bo_put_text(&out, "\n");
    assert_int_equal(format->parse(bo_writer_span(&out), &arena, &model, NULL), BO_OK);
    const struct autofdo_function *function = ((struct autofdo_model *)model)->functions;
    assert_int_equal(function->body.name.n, 1 << 20);
    assert_int_equal(function->body.records[0].n_targets, 100000);
    assert_null(autofdo_model_flaw(model, &arena));
    bo_writer_free(&out);
}

TEST(test_subjects)
{
    expect_subjects("f:1:1\n 1: 1\ng:3:1\n 1: 3\n", "g", "");
}

TEST_FILE(set_up, tear_down)
