/*
 * External programs: their inputs, the outputs that are kept, and that a missing or failing program
 * is reported and affects nothing else. A shell script plays the program.
 */
#include "harness/core/test_cmocka.h"

#include <glob.h>
#include <stdlib.h>

#include "bench/measure/programs.h"
#include "bench/measure/test_toy.h"
#include "harness/core/files.h"

static const char *const shell[] = {"bakeoff-no-such-program", "sh", NULL};
static const char *const nothing[] = {"bakeoff-no-such-program", NULL};
static const char *const version[] = {"-c", "echo hello; echo '  toy version 7'", NULL};
static const char *const copy[] = {"-c", "cp \"$0\" \"$1\"", "text", "file", NULL};
static const char *const refuse[] = {"-c", "exit 3", NULL};

static const struct bo_program_job good_jobs[] = {
    {"look", {"-c", "test \"$0\" = --name=needle && grep -q toy \"$1\"", "--name=@name", "file"}},
    {"write", {"-c", "cp \"$0\" \"$1\"", "file", "out"}},
    {NULL, {NULL}},
};
static const struct bo_program_job bad_jobs[] = {
    {"look", {"-c", "exit 0"}},
    {"fall", {"-c", "kill -9 $$"}},
    {NULL, {NULL}},
};

static char *needle(const void *model)
{
    return strdup("needle");
}

static char *no_subject(const void *model)
{
    return NULL;
}

static const struct bo_program sound = {
    "shell", shell, version, copy, good_jobs, needle,
};

static json_t *run(const struct bo_program *program)
{
    static const struct bo_codec *const codecs[] = {&toy_honest, NULL};
    const struct bo_format format = toy_format(codecs);
    struct toy_model model;
    toy_fill(&model, 40);
    const struct bo_document document = toy_document(&format, &model);
    return bo_program_json(program, &document, 3);
}

static void assert_status(const struct bo_program *program, const char *status)
{
    json_t *json = run(program);
    assert_string_equal(json_string_value(json_object_get(json, "status")), status);
    json_decref(json);
}

TEST(a_sound_program)
{
    json_t *json = run(&sound);
    assert_string_equal(json_string_value(json_object_get(json, "status")), "ok");
    assert_string_equal(json_string_value(json_object_get(json, "version")), "toy version 7");
    assert_int_equal(json_integer_value(json_object_get(json, "bytes")), strlen("toy 40\n"));
    const json_t *jobs = json_object_get(json, "jobs");
    assert_int_equal(json_array_size(jobs), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *times = json_object_get(json_array_get(jobs, i), "wall_ns");
        assert_int_equal(json_array_size(times), 3);
        assert_true(json_integer_value(json_array_get(times, 2)) > 0);
    }
    json_decref(json);
}

TEST(failures_are_reported)
{
    struct bo_program program = sound;
    program.commands = nothing;
    assert_status(&program, "not installed here");
    program = sound;
    program.subject = no_subject;
    assert_status(&program, "the document has nothing to look up");
    program = sound;
    program.make_args = refuse;
    assert_status(&program, "it refuses the text form");
    program = sound;
    program.jobs = bad_jobs;
    assert_status(&program, "one of its runs failed");
}

TEST(no_files_stay)
{
    char folder[64];
    glob_t left;
    assert_true(bo_temporary_folder(folder, sizeof folder));
    assert_int_equal(setenv("TMPDIR", folder, 1), 0);
    assert_status(&sound, "ok");
    assert_int_equal(unsetenv("TMPDIR"), 0);
    char pattern[80];
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    assert_int_equal(glob(pattern, 0, NULL, &left), GLOB_NOMATCH);
    assert_int_equal(rmdir(folder), 0);
}

TEST(formats_without_programs)
{
    static const struct bo_codec *const codecs[] = {&toy_honest, NULL};
    const struct bo_format format = toy_format(codecs);
    const struct bo_document document = {.format = &format};
    assert_null(bo_programs_json(&document, 1));
}

TEST_FILE(NULL, NULL)
