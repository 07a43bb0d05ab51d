/*
 * worker_model.h - what must be in a store, as rows in memory
 */
#ifndef WORKER_MODEL_H
#define WORKER_MODEL_H

#include "worker_calls.h"

#define MODEL_ROWS_MAX 64
#define MODEL_NO_ROW   '-'

struct model {
    struct event events[MODEL_ROWS_MAX]; /* of the outbox or the inbox, in their order    */
    char sent[MODEL_ROWS_MAX + 1];       /* a digit for each; NO_ROW: only its order is there */
    int ordered[MODEL_ROWS_MAX];         /* the qty of its order; 0: there is none        */
    int count;
    bool is_sink;
    bool has_no_stock; /* the sink's stock row is missing                       */
    long long extra;   /* of the sink's total, beside the sum of its inbox      */
};

/* The place of the event with that id, or -1. */
int model_find(const struct model *model, const char *id);

/* As the last row of all, or as the first. */
void model_add(struct model *model, struct event event);
void model_add_first(struct model *model, struct event event);
void model_remove(struct model *model, int place);

/* The places of the oldest events that are not sent, at most limit of them; their number. */
int model_pending(const struct model *model, int limit, int places[MODEL_ROWS_MAX]);

/* The sink's total. */
long long model_total(const struct model *model);

/* The rows as source_rows and sink_rows give them; the caller frees it. */
char *model_rows(const struct model *model);

#endif
