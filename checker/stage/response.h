/*
 * response.h - what the server is to answer, told by the differences from a right answer.
 *
 * All zero is the right answer: 200, Content-Length, the acknowledgement of the request's
 * own id, and the connection stays open for another request.  So
 *
 *     (struct response){ .status = 500 }                         500, yet a proper acknowledgement
 *     (struct response){ .framing = FRAMING_CHUNKED, .chunk_bytes = 5 }
 *     (struct response){ .pad_bytes = 1025 }                     spaces behind it, 1025 in all
 *     (struct response){ .cut = CUT_BODY, .cut_at = 7, .ending = ENDING_RESET }
 *     (struct response){ .headers = "Content-Length: 99\r\n", .ending = ENDING_CLOSE }
 *
 * Every pointer is borrowed: the server copies what it is given before the call (or the
 * decider) has long returned; nobody frees anything but what he allocated himself.
 */
#ifndef STAGE_RESPONSE_H
#define STAGE_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

/* How the end of the body is told. */
enum framing {
    FRAMING_LENGTH,  /* Content-Length */
    FRAMING_CHUNKED, /* Transfer-Encoding: chunked */
    FRAMING_CLOSE    /* by the end of the connection, which ENDING_KEEP_ALIVE then closes */
};

/* Where the answer stops before its end: behind cut_at bytes of the head or of the body. */
enum cut { CUT_NOTHING, CUT_HEAD, CUT_BODY };

/* What happens once the bytes are sent. */
enum ending {
    ENDING_KEEP_ALIVE, /* the next request is read; closes where the request asked for that */
    ENDING_CLOSE,      /* our side ends (FIN) and waits for the client's end */
    ENDING_RESET,      /* the connection is torn down (RST) */
    ENDING_SILENT,     /* nothing more is sent or read, the connection stays open */
    ENDING_ENDLESS     /* more body (spaces, framed like the rest) until the client leaves; ends
                        * cut, never whole, after RESPONSE_ENDLESS_BYTES */
};

#define RESPONSE_ENDLESS_BYTES (4L << 20)

struct response {
    int status;         /* 0: 200 (400 where the request has no id to acknowledge) */
    const char *reason; /* NULL: the usual words */

    /* Header lines, each with its CRLF.  One that is named Content-Type, Content-Length,
     * Transfer-Encoding or Connection takes the place of ours: that is how to lie. */
    const char *headers;
    const char *before; /* verbatim ahead of the status line, for 100 or 103; part of the head */

    const char *ack_id; /* the acknowledgement is for this id; NULL: for the request's */
    const char *body;   /* instead of the acknowledgement; "" for none */
    size_t body_bytes;  /* 0: strlen(body) */
    size_t pad_bytes;   /* spaces fill the body up to this size; 0: none */

    enum framing framing;
    size_t chunk_bytes; /* body bytes a chunk; 0: one chunk */

    /* Verbatim instead of all the above; the cut, the pieces and the ending below still hold,
     * counting it as body. */
    const char *raw;
    size_t raw_bytes; /* 0: strlen(raw) */

    int delay_ms;       /* waited before the first byte */
    size_t piece_bytes; /* body bytes a write (the head goes with the first); 0: all at once */
    int piece_gap_ms;   /* waited between two pieces; 0: own writes that may arrive as one */

    enum cut cut; /* needs ENDING_CLOSE, ENDING_RESET or ENDING_SILENT */
    size_t cut_at;
    enum ending ending;
};

/* The usual ones, by name. */
struct response response_ack(const char *id);                /* acknowledges id */
struct response response_status(int status);                 /* with a proper acknowledgement */
struct response response_text(int status, const char *body); /* any other body */
struct response response_raw(const char *bytes, enum ending then); /* a NUL-terminated text */
struct response response_nothing(enum ending then);                /* not one byte, then that */

/* A copy that borrows nothing; dies where the parts do not fit together (see cut). */
struct response response_copy(const struct response *response);
void response_free(struct response *copy);

#endif
