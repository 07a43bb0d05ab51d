/* wire.c - see wire.h */
#include "stage/wire.h"

#include "base.h"

#include <cjson/cJSON.h>
#include <http_parser.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FILLER_BYTES 4096

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool has_header(const char *lines, const char *name)
{
    const size_t bytes = strlen(name);

    while (lines && *lines) {
        if (!strncasecmp(lines, name, bytes) && lines[bytes] == ':')
            return true;
        lines = strchr(lines, '\n');
        lines += lines != NULL;
    }
    return false;
}

/* Adds {"id":ID,"accepted":true}; false where neither script nor request names an id. */
static bool add_ack(struct text *body, const char *id, const struct received *request)
{
    cJSON *event = cJSON_ParseWithLength(request->body, request->body_bytes);
    cJSON *ack = cJSON_CreateObject();
    char *printed;

    if (!id)
        id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "id"));
    if (id) {
        cJSON_AddStringToObject(ack, "id", id);
        cJSON_AddTrueToObject(ack, "accepted");
    } else {
        cJSON_AddStringToObject(ack, "error", "the request has no id");
    }
    printed = cJSON_PrintUnformatted(ack);
    if (!printed)
        die("out of memory");
    text_add(body, "%s", printed);
    cJSON_free(printed);
    cJSON_Delete(ack);
    cJSON_Delete(event);
    return id != NULL;
}

/* The body before any framing; returns the status. */
static int compose_body(struct text *body, const struct response *response,
                        const struct received *request)
{
    int status = 200;

    if (response->raw)
        text_add_bytes(body, response->raw, response->raw_bytes);
    else if (response->body)
        text_add_bytes(body, response->body, response->body_bytes);
    else if (!add_ack(body, response->ack_id, request))
        status = 400;
    if (!response->raw && response->pad_bytes > body->bytes)
        text_add(body, "%*s", (int)(response->pad_bytes - body->bytes), "");
    return response->status ? response->status : status;
}

static void add_head(struct text *out, const struct response *response, int status,
                     size_t body_bytes, bool closes)
{
    const char *own = response->headers;
    const char *reason = response->reason;

    if (!reason)
        reason = http_status_str((enum http_status)status);
    if (response->before)
        text_add(out, "%s", response->before);
    text_add(out, "HTTP/1.1 %d %s\r\n", status, reason);
    if (!has_header(own, "Content-Type"))
        text_add(out, "Content-Type: application/json\r\n");
    if (response->framing == FRAMING_LENGTH && response->ending == ENDING_ENDLESS)
        body_bytes += 2 * RESPONSE_ENDLESS_BYTES;
    if (response->framing == FRAMING_LENGTH && !has_header(own, "Content-Length"))
        text_add(out, "Content-Length: %zu\r\n", body_bytes);
    if (response->framing == FRAMING_CHUNKED && !has_header(own, "Transfer-Encoding"))
        text_add(out, "Transfer-Encoding: chunked\r\n");
    if (closes && !has_header(own, "Connection"))
        text_add(out, "Connection: close\r\n");
    text_add(out, "%s\r\n", own ? own : "");
}

static void add_pause(struct wire *wire, size_t offset)
{
    wire->pauses = xrealloc(wire->pauses, (wire->pause_count + 1) * sizeof *wire->pauses);
    wire->pauses[wire->pause_count++] = offset;
}

static void add_body(struct wire *wire, struct text *out, const struct response *response,
                     const struct text *body)
{
    const bool chunked = !response->raw && response->framing == FRAMING_CHUNKED;
    const size_t chunk = chunked && response->chunk_bytes ? response->chunk_bytes : body->bytes;
    const size_t piece = response->piece_bytes;
    const bool is_cut = response->cut == CUT_BODY;
    const size_t limit = is_cut ? least(response->cut_at, body->bytes) : body->bytes;
    size_t at = 0;

    while (at < limit) {
        size_t run = least(chunk - at % chunk, limit - at);

        if (piece)
            run = least(run, piece - at % piece);
        if (chunked && at % chunk == 0)
            text_add(out, "%zx\r\n", least(chunk, body->bytes - at));
        text_add_bytes(out, body->data + at, run);
        at += run;
        if (chunked && (at % chunk == 0 || at == body->bytes))
            text_add(out, "\r\n");
        if (piece && at % piece == 0 && at < limit)
            add_pause(wire, out->bytes);
    }
    if (chunked && !is_cut && response->ending != ENDING_ENDLESS)
        text_add(out, "0\r\n\r\n");
}

static void make_filler(struct wire *wire, const struct response *response)
{
    const size_t piece = response->piece_bytes;
    const int bytes = (int)(piece ? least(piece, FILLER_BYTES) : FILLER_BYTES);
    const bool chunked = !response->raw && response->framing == FRAMING_CHUNKED;
    struct text filler = { 0 };

    if (chunked)
        text_add(&filler, "%x\r\n", (unsigned)bytes);
    text_add(&filler, "%*s%s", bytes, "", chunked ? "\r\n" : "");
    wire->filler = filler.data;
    wire->filler_bytes = filler.bytes;
}

void wire_render(struct wire *wire, const struct response *response, const struct received *request)
{
    const bool closes = response->ending == ENDING_CLOSE ||
                        (response->ending == ENDING_KEEP_ALIVE &&
                         (response->framing == FRAMING_CLOSE || !request->keep_alive));
    struct text body = { 0 };
    struct text out = { 0 };
    const int status = compose_body(&body, response, request);

    *wire = (struct wire){ .delay_ms = response->delay_ms,
                           .gap_ms = response->piece_gap_ms,
                           .ending = closes ? ENDING_CLOSE : response->ending };
    if (!response->raw)
        add_head(&out, response, status, body.bytes, closes);
    if (response->cut == CUT_HEAD)
        out.bytes = least(out.bytes, response->cut_at);
    else
        add_body(wire, &out, response, &body);
    if (response->ending == ENDING_ENDLESS)
        make_filler(wire, response);
    wire->data = out.data;
    wire->bytes = out.bytes;
    text_free(&body);
}

void wire_free(struct wire *wire)
{
    free(wire->data);
    free(wire->pauses);
    free(wire->filler);
    *wire = (struct wire){ 0 };
}
