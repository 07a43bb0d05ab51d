/*
 * wire.h - a response as the bytes that go over the wire, with the places where the sender
 * waits.  Private to the server.
 */
#ifndef STAGE_WIRE_H
#define STAGE_WIRE_H

#include "stage/received.h"
#include "stage/response.h"

struct wire {
    char *data;
    size_t bytes;
    size_t *pauses; /* offsets into data behind which gap_ms are waited, rising */
    size_t pause_count;
    char *filler; /* repeated behind data where the ending is endless, else NULL */
    size_t filler_bytes;
    int delay_ms;
    int gap_ms;
    enum ending ending; /* ENDING_KEEP_ALIVE only where the client wants it too */
};

/* The bytes that answer this request.  Frees nothing of what *wire held. */
void wire_render(struct wire *wire, const struct response *response,
                 const struct received *request);
void wire_free(struct wire *wire);

#endif
