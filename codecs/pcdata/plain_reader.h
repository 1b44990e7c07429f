/*
 * Template: decode, open and query of a codec whose reader is the frame alone. Included by the
 * codec's file, once, after it has defined walk_record, lookup and scan_record (the types are in
 * pcdata.h). The file of a canonical encoding also defines PUT_RECORD, the function that writes a
 * record.
 */
#include "codecs/pcdata/pcdata.h"

#ifndef PUT_RECORD
#define PUT_RECORD NULL
#endif

static const struct pcdata_layout layout = {.walk = walk_record, .put = PUT_RECORD};

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    return pcdata_decode_frame(in, &layout, arena, model_ret, err);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct pcdata_frame *frame = bo_alloc(arena, sizeof *frame);
    if (!frame)
        return bo_fail_alloc(err, arena);
    *reader_ret = frame;
    return pcdata_open_frame(in, &layout, arena, frame, err);
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct pcdata_frame *frame = reader;
    if (kind == PCDATA_SPAN)
        return pcdata_answer_spans(frame, NULL, scan_record, queries, n, answers);
    return kind == PCDATA_POINT
               ? pcdata_answer_points(frame, NULL, lookup, queries, n, answers)
               : pcdata_answer_scans(frame, NULL, scan_record, queries, n, answers);
}
