/* worker_once_look.c - what others see of a call, and how they hold it up; worker_once.h */
#include "worker_once.h"

#include "base.h"

#include <stdlib.h>

static void release(void *context)
{
    struct holder *holder = context;

    holder->released = true;
    hand_do(holder->hand, "ROLLBACK");
}

struct how once_held(struct holder *holder, const struct once *once, const char *lock, int ms)
{
    if (!holder->hand)
        holder->hand = hand_open(once->store);
    holder->released = false;
    hand_do(holder->hand, lock);
    stage_did("(another process: %s, released after %d ms)", lock, stage_ms(ms));
    return (struct how){ .directions = { .later = release,
                                         .later_ms = stage_ms(ms),
                                         .context = holder,
                                         .deadline_ms = ms + CALL_MS } };
}

struct look {
    const struct once *once;
    struct puppet *hand; /* NULL: the call's own connection */
    char *sql;
    struct text seen;
};

static struct outcome look_at(void *context, struct stop *stop)
{
    struct look *look = context;
    auto_free char *rows = look->hand ? puppet_rows(look->hand, "hand", look->sql)
                                      : puppet_rows(stop->puppet, look->once->store, look->sql);

    text_add(&look->seen, "%s %s", stop->point, *rows ? rows : "cannot be read\n");
    return call_go_on(stop);
}

static void expect_look(const struct once *once, struct puppet *worker, struct puppet *hand,
                        const char *views)
{
    struct event event = an_event();
    struct look look = { .once = once, .hand = hand, .sql = once_sql(once->look, event) };
    struct how how = { .directions = { .at = look_at, .context = &look } };
    struct answer answer;

    text_add(&look.seen, "%s", "");
    answer = call_once(once, worker, spec_of(event), &how);
    expect_outcome(answer, outcome_value(1));
    expect_same("rows of each of the two tables at each point", look.seen.data,
                xprintf("%s %.3s\n%s %.3s\n%s %.3s\n", once->points[0], views, once->points[1],
                        views + 4, once->points[2], views + 8));
    free(look.sql);
}

void once_look_from_inside(const struct once *once)
{
    expect_look(once, once_start(once, 50), NULL, "1|0 1|1 1|1");
}

void once_look_from_outside(const struct once *once)
{
    struct puppet *worker = once_start(once, 50);

    expect_look(once, worker, hand_open(once->store), "0|0 0|0 1|1");
}

struct knock {
    struct puppet *hand;
    const char *sql;
    int codes[3];
    int count;
};

static struct outcome knock_at(void *context, struct stop *stop)
{
    struct knock *knock = context;

    if (knock->count < 3)
        knock->codes[knock->count++] = hand_try(knock->hand, knock->sql) & 0xff;
    return call_go_on(stop);
}

void once_knock(const struct once *once, const char *sql, int before, int after)
{
    struct puppet *worker = once_start(once, 50);
    struct knock knock = { .hand = hand_open(once->store), .sql = sql };
    struct how how = { .directions = { .at = knock_at, .context = &knock } };

    stage_did("(at each point another process does: %s)", sql);
    expect_outcome(call_once(once, worker, spec_of(an_event()), &how), outcome_value(1));
    expect_number("points", knock.count, 3);
    for (int i = 0; i < 3; i++) {
        auto_free char *what = xprintf("SQLite's code for the other process %s", once->points[i]);

        expect_number(what, knock.codes[i], i < 2 ? before : after);
    }
}
