/*
 * worker_model.h - what must be in a store, as rows in memory
 */
#ifndef WORKER_MODEL_H
#define WORKER_MODEL_H

#include "worker_calls.h"

#define MODEL_ROWS_MAX 64

struct model {
    struct event events[MODEL_ROWS_MAX]; /* in the order in which they came */
    char sent[MODEL_ROWS_MAX + 1];       /* a digit for each                */
    int count;
    bool is_sink;
    bool has_no_stock; /* the sink's stock row is missing */
};

/* The place of the event with that id, or -1. */
int model_find(const struct model *model, const char *id);

void model_add(struct model *model, struct event event);
void model_remove(struct model *model, int place);

/* The places of the oldest events that are not sent, at most limit of them; their number. */
int model_pending(const struct model *model, int limit, int places[MODEL_ROWS_MAX]);

/* The rows as source_rows and sink_rows give them; the caller frees it. */
char *model_rows(const struct model *model);

#endif
