/*
 * A codec that does nothing, so that every table shows the cost of the harness itself. It touches
 * each query and writes an answer (a wrong one: it is never verified).
 *
 * It serves every format. Its payload, which bo_noop_payload writes in place of an encoder, is
 * the query and answer sizes of the format's kinds.
 */
#ifndef BO_NOOP_H
#define BO_NOOP_H

#include "harness/format.h"

extern const struct bo_codec bo_noop_codec;

void bo_noop_payload(const struct bo_format *format, struct bo_writer *out);

#endif
