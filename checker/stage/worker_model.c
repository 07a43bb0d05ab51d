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

/* Moves the rows from one place on to another; those between are written over, or are a gap. */
static void move_rows(struct model *model, int from, int to, int count)
{
    size_t rows = (size_t)count;

    memmove(model->events + to, model->events + from, rows * sizeof *model->events);
    memmove(model->sent + to, model->sent + from, rows);
    memmove(model->ordered + to, model->ordered + from, rows * sizeof *model->ordered);
}

static void add_at(struct model *model, int place, struct event event)
{
    if (model->count == MODEL_ROWS_MAX)
        die("a model holds no more than %d rows", MODEL_ROWS_MAX);
    move_rows(model, place, place + 1, model->count++ - place);
    model->events[place] = event;
    model->sent[place] = '0';
    model->ordered[place] = event.qty;
}

void model_add(struct model *model, struct event event)
{
    add_at(model, model->count, event);
}

void model_add_first(struct model *model, struct event event)
{
    add_at(model, 0, event);
}

void model_remove(struct model *model, int place)
{
    move_rows(model, place + 1, place, --model->count - place);
}

int model_pending(const struct model *model, int limit, int places[MODEL_ROWS_MAX])
{
    int count = 0;

    for (int i = 0; i < model->count && count < limit; i++)
        if (model->sent[i] == '0')
            places[count++] = i;
    return count;
}

long long model_total(const struct model *model)
{
    long long total = model->extra;

    for (int i = 0; i < model->count; i++)
        total += model->events[i].qty;
    return total;
}

static void add_orders(struct text *text, const struct model *model)
{
    struct event orders[MODEL_ROWS_MAX];
    auto_free char *rows = NULL;
    int count = 0;

    for (int i = 0; i < model->count; i++) {
        orders[count] = model->events[i];
        orders[count].qty = model->ordered[i];
        count += model->ordered[i] != 0;
    }
    rows = rows_by_id(orders, count);
    text_add(text, "orders:\n%s", rows);
}

char *model_rows(const struct model *model)
{
    auto_free char *inbox = rows_by_id(model->events, model->count);
    struct text text = { 0 };

    if (model->is_sink) {
        text_add(&text, "inbox:\n%sstock:\n", inbox);
        if (!model->has_no_stock)
            text_add(&text, "1|%lld\n", model_total(model));
        return text.data;
    }
    add_orders(&text, model);
    text_add(&text, "outbox:\n");
    for (int i = 0; i < model->count; i++)
        if (model->sent[i] != MODEL_NO_ROW)
            text_add(&text, "'%s'|%d|%c\n", model->events[i].id, model->events[i].qty,
                     model->sent[i]);
    return text.data;
}
