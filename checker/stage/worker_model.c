/* worker_model.c - see worker_model.h */
#include "worker_model.h"

#include "base.h"

#include <string.h>

int model_find(const struct model *model, const char *id)
{
    for (int i = 0; i < model->count; i++)
        if (strcmp(model->events[i].id, id) == 0)
            return i;
    return -1;
}

void model_add(struct model *model, struct event event)
{
    if (model->count == MODEL_ROWS_MAX)
        die("a model holds no more than %d rows", MODEL_ROWS_MAX);
    model->sent[model->count] = '0';
    model->events[model->count++] = event;
}

void model_remove(struct model *model, int place)
{
    size_t behind = (size_t)(--model->count - place);

    memmove(model->events + place, model->events + place + 1, behind * sizeof *model->events);
    memmove(model->sent + place, model->sent + place + 1, behind);
}

int model_pending(const struct model *model, int limit, int places[MODEL_ROWS_MAX])
{
    int count = 0;

    for (int i = 0; i < model->count && count < limit; i++)
        if (model->sent[i] == '0')
            places[count++] = i;
    return count;
}

char *model_rows(const struct model *model)
{
    if (model->is_sink) {
        char *rows = sink_with(model->events, model->count);

        if (model->has_no_stock)
            strstr(rows, "stock:\n")[strlen("stock:\n")] = '\0';
        return rows;
    }
    return source_with(model->events, model->count, model->sent);
}
