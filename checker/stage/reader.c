/* reader.c - see reader.h */
#include "stage/reader.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char *take_text(struct text *text)
{
    char *data = text->data ? text->data : xstrdup("");

    *text = (struct text){ 0 };
    return data;
}

static void finish_header(struct reader *reader)
{
    struct received *request = reader->request;

    if (!reader->name.bytes)
        return;
    request->headers =
        xrealloc(request->headers, (request->header_count + 1) * sizeof *request->headers);
    request->headers[request->header_count].name = take_text(&reader->name);
    request->headers[request->header_count++].value = take_text(&reader->value);
    reader->in_value = false;
}

static int begin_message(http_parser *parser)
{
    struct reader *reader = parser->data;

    reader->request = xmalloc(sizeof *reader->request);
    reader->request->method = "";
    return 0;
}

static int read_target(http_parser *parser, const char *data, size_t bytes)
{
    struct reader *reader = parser->data;

    reader->request->method = http_method_str((enum http_method)parser->method);
    text_add_bytes(&reader->target, data, bytes);
    return 0;
}

static int read_name(http_parser *parser, const char *data, size_t bytes)
{
    struct reader *reader = parser->data;

    if (reader->in_value)
        finish_header(reader);
    text_add_bytes(&reader->name, data, bytes);
    return 0;
}

static int read_value(http_parser *parser, const char *data, size_t bytes)
{
    struct reader *reader = parser->data;

    reader->in_value = true;
    text_add_bytes(&reader->value, data, bytes);
    return 0;
}

static int finish_head(http_parser *parser)
{
    struct reader *reader = parser->data;
    struct received *request = reader->request;
    const char *expect;

    finish_header(reader);
    request->major = parser->http_major;
    request->minor = parser->http_minor;
    request->chunked = parser->flags & F_CHUNKED;
    expect = received_header(request, "expect");
    reader->wants_continue = expect && !strcasecmp(expect, "100-continue") && request->minor > 0;
    return 0;
}

static int read_body(http_parser *parser, const char *data, size_t bytes)
{
    struct reader *reader = parser->data;

    text_add_bytes(&reader->body, data, bytes);
    return 0;
}

/* The parser pauses here, so that what is behind this request waits for its turn. */
static int finish_message(http_parser *parser)
{
    struct reader *reader = parser->data;

    finish_header(reader);
    reader->whole = true;
    reader->request->keep_alive = http_should_keep_alive(parser);
    http_parser_pause(parser, 1);
    return 0;
}

static const http_parser_settings callbacks = {
    .on_message_begin = begin_message,
    .on_url = read_target,
    .on_header_field = read_name,
    .on_header_value = read_value,
    .on_headers_complete = finish_head,
    .on_body = read_body,
    .on_message_complete = finish_message,
};

void reader_start(struct reader *reader)
{
    received_free(reader->request);
    text_free(&reader->target);
    text_free(&reader->body);
    text_free(&reader->name);
    text_free(&reader->value);
    *reader = (struct reader){ 0 };
    http_parser_init(&reader->parser, HTTP_REQUEST);
    reader->parser.data = reader;
}

size_t reader_feed(struct reader *reader, const char *data, size_t bytes)
{
    size_t taken;

    if (reader->whole || reader->fault || !bytes) /* to the parser, no bytes are the end */
        return 0;
    taken = http_parser_execute(&reader->parser, &callbacks, data, bytes);
    reader->bytes += taken;
    if (reader->whole)
        return taken;
    if (reader->parser.http_errno != HPE_OK) {
        reader->fault = http_errno_description(HTTP_PARSER_ERRNO(&reader->parser));
        if (!reader->request)
            begin_message(&reader->parser);
        return bytes;
    }
    if (reader->bytes > READER_REQUEST_BYTES_MAX)
        reader->fault = "longer than 64 KiB";
    return taken;
}

struct received *reader_take(struct reader *reader, const char *fault)
{
    struct received *request = reader->request;

    finish_header(reader);
    request->target = take_text(&reader->target);
    request->body_bytes = reader->body.bytes;
    request->body = take_text(&reader->body);
    request->fault = fault;
    reader->request = NULL;
    return request;
}
