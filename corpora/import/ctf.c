/*
 * Builds a graph of babeltrace's components: a reader for each folder with metadata, a muxer that
 * orders events by time, and a sink. https://babeltrace.org/docs/v2.0/libbabeltrace2/
 */
#include "corpora/import/ctf.h"

#include "corpora/import/apart.h"

#include <babeltrace2/babeltrace.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_TRACES = 1024,  /* each keeps files open */
    MAX_PHRASE_N = 300, /* limits the length of babeltrace's message */
};

/* ---- babeltrace's errors --------------------------------------------------------------------- */

struct reading {
    const struct ctf_visitor *visitor;
    struct bo_arena *arena;
    struct bo_error *err;
    enum bo_status status; /* the first status other than BO_OK */
    bt_graph *graph;
    const bt_component_class_source *reader;
    const bt_component_filter *muxer;
    size_t n_traces;
    uint64_t n_lost;
};

/* "babeltrace: PHRASE: the first error", on one line. */
static enum bo_status fail(struct reading *in, enum bo_status status, const char *phrase)
{
    char text[MAX_PHRASE_N];
    const bt_error *error = bt_current_thread_take_error();
    const char *cause = NULL;
    if (in->status) {
        if (error)
            bt_error_release(error);
        return in->status;
    }
    if (error && bt_error_get_cause_count(error))
        cause = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
    int n = snprintf(text, sizeof text, "babeltrace: %s%s%s", phrase, cause ? ": " : "",
                     cause ? cause : "");
    n = n < (int)sizeof text ? n : (int)sizeof text - 1;
    for (int i = 0; i < n; i++)
        if ((unsigned char)text[i] < ' ')
            text[i] = ' ';
    char *kept = bo_alloc(in->arena, (size_t)n + 1);
    if (kept)
        memcpy(kept, text, (size_t)n + 1);
    if (error)
        bt_error_release(error);
    return in->status = bo_fail(in->err, status, BO_NO_OFFSET, kept ? kept : phrase);
}

/* Some functions of babeltrace set the thread's error but return success. */
static bool left_error(void)
{
    const bt_error *error = bt_current_thread_take_error();
    if (!error)
        return false;
    BT_CURRENT_THREAD_MOVE_ERROR_AND_RESET(error);
    return true;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static const bt_field *member(const void *structure, const char *name)
{
    if (!structure ||
        bt_field_get_class_type((const bt_field *)structure) != BT_FIELD_CLASS_TYPE_STRUCTURE)
        return NULL;
    return bt_field_structure_borrow_member_field_by_name_const(structure, name);
}

static bool number_in(const void *structure, const char *name, uint64_t *v_ret)
{
    const bt_field *field = member(structure, name);
    const bt_field_class_type type = field ? bt_field_get_class_type(field) : 0;
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
        *v_ret = bt_field_integer_unsigned_get_value(field);
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
        *v_ret = (uint64_t)bt_field_integer_signed_get_value(field);
    else
        return false;
    return true;
}

static bool text_in(const void *structure, const char *name, struct bo_span *text_ret)
{
    const bt_field *field = member(structure, name);
    if (!field || bt_field_get_class_type(field) != BT_FIELD_CLASS_TYPE_STRING)
        return false;
    *text_ret = bo_span_of(bt_field_string_get_value(field));
    return true;
}

bool ctf_number(const struct ctf_event *event, const char *field, uint64_t *v_ret)
{
    return number_in(event->payload, field, v_ret);
}

bool ctf_text(const struct ctf_event *event, const char *field, struct bo_span *text_ret)
{
    return text_in(event->payload, field, text_ret);
}

bool ctf_context_number(const struct ctf_event *event, const char *field, uint64_t *v_ret)
{
    return number_in(event->context, field, v_ret) ||
           number_in(event->common_context, field, v_ret) ||
           number_in(event->packet_context, field, v_ret);
}

bool ctf_context_text(const struct ctf_event *event, const char *field, struct bo_span *text_ret)
{
    return text_in(event->context, field, text_ret) ||
           text_in(event->common_context, field, text_ret) ||
           text_in(event->packet_context, field, text_ret);
}

const char *ctf_environment(const struct ctf_trace *trace, const char *name)
{
    const bt_value *value =
        bt_trace_borrow_environment_entry_value_by_name_const((const bt_trace *)trace, name);
    return value && bt_value_is_string(value) ? bt_value_string_get(value) : NULL;
}

/* ---- messages -------------------------------------------------------------------------------- */

static enum bo_status visit_event(struct reading *in, const bt_message *message)
{
    const bt_event *event = bt_message_event_borrow_event_const(message);
    const bt_stream *stream = bt_event_borrow_stream_const(event);
    if (!bt_stream_class_borrow_default_clock_class_const(bt_stream_borrow_class_const(stream)))
        return fail(in, BO_UNSUPPORTED, "events have no clock");
    const bt_packet *packet = bt_stream_class_supports_packets(bt_stream_borrow_class_const(stream))
                                  ? bt_event_borrow_packet_const(event)
                                  : NULL;
    struct ctf_event decoded = {
        .name = bt_event_class_get_name(bt_event_borrow_class_const(event)),
        .payload = bt_event_borrow_payload_field_const(event),
        .common_context = bt_event_borrow_common_context_field_const(event),
        .context = bt_event_borrow_specific_context_field_const(event),
        .packet_context = packet ? bt_packet_borrow_context_field_const(packet) : NULL,
    };
    if (bt_clock_snapshot_get_ns_from_origin(
            bt_message_event_borrow_default_clock_snapshot_const(message), &decoded.time_ns))
        return fail(in, BO_UNSUPPORTED, "time exceeds 64 bits of nanoseconds");
    return decoded.name ? in->visitor->event(in->visitor->context, &decoded) : BO_OK;
}

/* A message without a count counts as one lost event. */
static void count_lost(struct reading *in, const bt_message *message)
{
    uint64_t n = 1;
    if (bt_message_discarded_events_get_count(message, &n) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
        n = 1;
    in->n_lost += n;
}

static enum bo_status take(struct reading *in, const bt_message *message)
{
    switch (bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_STREAM_BEGINNING:
        return in->visitor->trace(in->visitor->context,
                                  (const struct ctf_trace *)bt_stream_borrow_trace_const(
                                      bt_message_stream_beginning_borrow_stream_const(message)));
    case BT_MESSAGE_TYPE_EVENT:
        return visit_event(in, message);
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
        count_lost(in, message);
        return BO_OK;
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
        in->n_lost++;
        return BO_OK;
    default:
        return BO_OK;
    }
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *messages,
                                                                  void *context)
{
    struct reading *in = context;
    bt_message_array_const batch;
    uint64_t n = 0;
    apart_goes_on();
    switch (bt_message_iterator_next(messages, &batch, &n)) {
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
        break;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_MEMORY_ERROR;
    default:
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (!in->status)
            in->status = take(in, batch[i]);
        bt_message_put_ref(batch[i]);
    }
    return in->status ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR
                      : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static const bt_plugin *find_plugin(const char *name)
{
    const bt_plugin *plugin = NULL;
    return bt_plugin_find(name, BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_TRUE, &plugin) ? NULL
                                                                                       : plugin;
}

/* Connects a reader's port to the muxer, which always has another free port. */
static bool connect_port(struct reading *in, const bt_port_output *port)
{
    const uint64_t n = bt_component_filter_get_input_port_count(in->muxer);
    return bt_graph_connect_ports(
               in->graph, port,
               bt_component_filter_borrow_input_port_by_index_const(in->muxer, n - 1),
               NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
}

static bool add_reader(struct reading *in, const char *path)
{
    char name[32];
    const bt_component_source *source = NULL;
    bt_value *params = bt_value_map_create(), *inputs = bt_value_array_create();
    snprintf(name, sizeof name, "trace-%zu", in->n_traces);
    bool ok =
        params && inputs &&
        bt_value_array_append_string_element(inputs, path) ==
            BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK &&
        bt_value_map_insert_entry(params, "inputs", inputs) ==
            BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
        bt_graph_add_source_component(in->graph, in->reader, name, params, BT_LOGGING_LEVEL_NONE,
                                      &source) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;
    for (uint64_t i = 0; ok && i < bt_component_source_get_output_port_count(source); i++)
        ok = connect_port(in, bt_component_source_borrow_output_port_by_index_const(source, i));
    bt_value_put_ref(inputs);
    bt_value_put_ref(params);
    return ok;
}

static bool add_trace(void *context, const char *path)
{
    struct reading *in = context;
    if (in->n_traces++ == MAX_TRACES)
        fail(in, BO_OVER_LIMIT, "more than 1024 traces in one folder");
    else if (!ctf_metadata_is_whole(path)) /* it would wait for the rest forever */
        fail(in, BO_TRUNCATED, "metadata packet is truncated");
    else if (!add_reader(in, path) || left_error())
        fail(in, BO_CORRUPT, "cannot read the trace");
    return !in->status;
}

static enum bo_status run(struct reading *in, const char *folder,
                          const bt_component_class_filter *muxer)
{
    const bt_component_sink *sink = NULL;
    if (bt_graph_add_filter_component(in->graph, muxer, "muxer", NULL, BT_LOGGING_LEVEL_NONE,
                                      &in->muxer) ||
        bt_graph_add_simple_sink_component(in->graph, "sink", NULL, consume, NULL, in, &sink) ||
        bt_graph_connect_ports(in->graph,
                               bt_component_filter_borrow_output_port_by_index_const(in->muxer, 0),
                               bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL))
        return fail(in, BO_NO_MEMORY, "cannot create the graph");
    if (!ctf_find(folder, add_trace, in))
        return fail(in, BO_IO, "cannot list the folder, or it has too many entries");
    if (in->status)
        return in->status;
    if (bt_graph_run(in->graph) != BT_GRAPH_RUN_STATUS_OK || left_error())
        return fail(in, BO_CORRUPT, "cannot read the trace");
    return BO_OK;
}

enum bo_status ctf_read(const char *folder, const struct ctf_visitor *visitor, uint64_t *n_lost_ret,
                        struct bo_arena *arena, struct bo_error *err)
{
    struct reading in = {.visitor = visitor, .arena = arena, .err = err};
    const bt_plugin *ctf = find_plugin("ctf"), *utils = find_plugin("utils");
    const bt_component_class_filter *muxer =
        utils ? bt_plugin_borrow_filter_component_class_by_name_const(utils, "muxer") : NULL;
    in.reader = ctf ? bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs") : NULL;
    in.graph = in.reader && muxer ? bt_graph_create(0) : NULL;
    enum bo_status status =
        in.graph ? run(&in, folder, muxer)
                 : fail(&in, BO_UNSUPPORTED, "plugins of libbabeltrace2 are not installed");
    *n_lost_ret = in.n_lost;
    bt_graph_put_ref(in.graph);
    bt_plugin_put_ref(ctf);
    bt_plugin_put_ref(utils);
    bt_current_thread_clear_error();
    return status;
}
