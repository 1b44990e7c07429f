/* Parts of hand-written pages that the report fills in. */
#include "bench/report_inserts.h"

#include <string.h>

#include "bench/report_format.h"
#include "harness/registry.h"

static const char BEGIN[] = "<!-- report: ", END[] = "<!-- report ends -->\n";

static bool fails(const char *name, const char *text, const char *at, const char *what)
{
    unsigned line = 1;
    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    fprintf(stderr, "bakeoff: %s: line %u: %s\n", name, line, what);
    return false;
}

/* The part that begins at `at`, a marker's line; *next_ret is behind it. */
static bool print_part(const struct bo_page *pages, size_t n, const char *text, const char *name,
                       const char *at, const char **next_ret)
{
    char part[32], format_name[32], tail[4] = "";
    const char *inside = strchr(at, '\n');
    const char *end = inside ? strstr(inside + 1, END) : NULL;
    if (sscanf(at + strlen(BEGIN), "%31s %31s %3s", part, format_name, tail) != 3 ||
        strcmp(tail, "-->") != 0)
        return fails(name, text, at, "not 'report: PART FORMAT'");
    if (!end)
        return fails(name, text, at, "this part has no '<!-- report ends -->'");
    const struct bo_format *format = bo_find_format(format_name);
    if (!format)
        return fails(name, text, at, "no such format");
    const struct bo_page *page = bo_page_telling(pages, n, format_name, false);
    fprintf(pages->out, "%.*s", (int)(inside + 1 - at), at);
    if (!page)
        fprintf(pages->out, "%.*s", (int)(end - inside - 1), inside + 1);
    else if (!bo_page_part(page, format, part))
        return fails(name, text, at, "no such part of a format's chapter");
    fputs(END, pages->out);
    *next_ret = end + strlen(END);
    return true;
}

bool bo_inserts_print(const struct bo_page *pages, size_t n, const char *text, const char *name)
{
    const char *at = text, *marker;
    while ((marker = strstr(at, BEGIN))) {
        fprintf(pages->out, "%.*s", (int)(marker - at), at);
        if (!print_part(pages, n, text, name, marker, &at))
            return false;
    }
    fputs(at, pages->out);
    return true;
}
