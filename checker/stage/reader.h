/*
 * reader.h - turns the bytes of a connection into one request at a time, bounded in size.
 * Private to the server.
 */
#ifndef STAGE_READER_H
#define STAGE_READER_H

#include "base.h"
#include "stage/received.h"

#include <http_parser.h>

#define READER_REQUEST_BYTES_MAX (64 * 1024)

/* Belongs to one connection and one thread; does not move once it was started. */
struct reader {
    http_parser parser;
    struct received *request; /* being read; NULL where no byte of one has come */
    struct text target, body, name, value;
    size_t bytes;        /* of this request so far, framing included */
    bool in_value;       /* the header being read has its name whole */
    bool wants_continue; /* the client waits for 100 Continue before it sends the body */
    bool whole;
    const char *fault; /* NULL, or why this request can never become whole */
};

/* Ready for the first, or the next, request.  What was being read is dropped. */
void reader_start(struct reader *reader);

/*
 * Takes bytes up to the end of one request and returns how many it took; looks at nothing
 * more once whole or fault is set.
 */
size_t reader_feed(struct reader *reader, const char *data, size_t bytes);

/*
 * Hands over the request, whole or not, the caller's to free; fault (NULL for a whole one)
 * becomes the record's.  Only where reader->request is not NULL.
 */
struct received *reader_take(struct reader *reader, const char *fault);

#endif
