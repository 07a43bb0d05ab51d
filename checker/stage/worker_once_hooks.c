/* worker_once_hooks.c - what the hook of a call says or does; worker_once.h */
#include "worker_once.h"

#include "base.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Where the hook fails: a worker at a store. */
struct scene {
    const struct once *once;
    struct puppet *worker;
    const char *store;
};

static void fail_at(const struct scene *scene, int point, struct event event,
                    struct outcome failure)
{
    const struct once *once = scene->once;
    auto_free char *points = once_points(once, point + 1);
    struct reply_at reply = { once->points[point], failure };
    struct how how = moment_reply(&reply);
    struct answer answer;

    how.on = scene->store;
    answer = call_once(once, scene->worker, spec_of(event), &how);
    expect_outcome(answer, failure);
    expect_points(answer, points);
}

static void expect_taken_alone(const struct scene *scene, struct event event)
{
    const struct once *once = scene->once;
    struct how how = { .on = scene->store };

    expect_same("rows, all undone", once->rows(scene->store), once->with(NULL, 0));
    expect_outcome(call_once(once, scene->worker, spec_of(event), &how), outcome_value(1));
    expect_same("rows", once->rows(scene->store), once->with(&event, 1));
}

static void fail_before_the_commit(const struct scene *scene)
{
    struct event event = an_event();

    for (size_t i = 0; i < FAILURES; i++) {
        fail_at(scene, 0, event, failures[i]);
        fail_at(scene, 1, an_event(), failures[i]);
    }
    expect_taken_alone(scene, event);
}

void once_fail_before_the_commit(const struct once *once)
{
    struct scene scene = { once, once_start(once, 50), once->store };

    fail_before_the_commit(&scene);
    scene.store = once_open_log(once, scene.worker, 50);
    fail_before_the_commit(&scene);
}

static void fail_after_the_commit(const struct scene *scene)
{
    const struct once *once = scene->once;
    struct how how = { .on = scene->store };
    struct event taken[FAILURES];

    for (size_t i = 0; i < FAILURES; i++) {
        taken[i] = an_event();
        fail_at(scene, 2, taken[i], failures[i]);
    }
    expect_same("rows, which stay", once->rows(scene->store), once->with(taken, FAILURES));
    expect_outcome(call_once(once, scene->worker, spec_of(taken[0]), &how), outcome_value(0));
}

void once_fail_after_the_commit(const struct once *once)
{
    struct scene scene = { once, once_start(once, 50), once->store };

    fail_after_the_commit(&scene);
    scene.store = once_open_log(once, scene.worker, 50);
    fail_after_the_commit(&scene);
}

/* No error that a worker knows of, and anything but a value all the same. */
static const struct outcome odd[] = { { OUTCOME_TODO, 0 }, { (enum outcome_kind)99, 3 } };

/* Each stops the call at each point; taken gets what then stays. */
static void stop_oddly(const struct scene *scene, struct event *taken)
{
    for (size_t i = 0; i < COUNT(odd); i++) {
        taken[i] = an_event();
        fail_at(scene, 0, taken[i], odd[i]);
        fail_at(scene, 1, taken[i], odd[i]);
        fail_at(scene, 2, taken[i], odd[i]);
    }
}

void once_go_on(const struct once *once)
{
    static const int codes[] = { 1, 2, -1, 5, 19, -2147483647 - 1 };
    struct how no_hook = { .no_hook = true };
    struct puppet *worker = once_start(once, 50);
    auto_free char *points = once_points(once, 3);
    struct event taken[COUNT(codes) + 1 + COUNT(odd)];
    struct event last = an_event();
    struct answer answer;

    for (size_t i = 0; i < COUNT(codes); i++) {
        struct reply_at reply = { NULL, outcome_value(codes[i]) };
        struct how how = moment_reply(&reply);

        how.no_context = i % 2 == 1;
        taken[i] = an_event();
        answer = call_once(once, worker, spec_of(taken[i]), &how);
        expect_outcome(answer, outcome_value(1));
        expect_points(answer, points);
    }
    taken[COUNT(codes)] = last;
    answer = call_once(once, worker, spec_of(last), &no_hook);
    expect_outcome(answer, outcome_value(1));
    expect_points(answer, "");
    expect_outcome(call_once(once, worker, spec_of(last), &no_hook), outcome_value(0));
    expect_outcome(call_once(once, worker, spec_of(other_qty(last)), &no_hook),
                   outcome_of(OUTCOME_CONFLICT, 0));
    stop_oddly(&(struct scene){ once, worker, once->store }, taken + COUNT(codes) + 1);
    expect_same("rows", once->rows(once->store), once->with(taken, COUNT(taken)));
}

/* --- a hook that calls the same function itself ---------------------------------------- */

struct inner {
    const struct once *once;
    const char *store;
    struct event events[3]; /* taken at the three points */
};

static struct outcome call_inside(void *context, struct stop *stop)
{
    struct inner *inner = context;
    struct how how = { .no_hook = true, .on = inner->store };
    cJSON *order = how_order(inner->once->function, NULL, &how);
    struct event *event = &inner->events[(stop->count - 1) % 3];
    cJSON *answer;
    struct outcome outcome;

    *event = an_event();
    cJSON_AddItemToObject(order, "event", spec_of(*event));
    stage_did("   at %s the hook itself calls %s(%s) on connection %s", stop->point,
              inner->once->function, event->id, inner->store);
    answer = call_order(stop->puppet, order);
    outcome = said_outcome(cJSON_GetObjectItemCaseSensitive(answer, "answer"));
    cJSON_Delete(answer);
    expect(outcome.kind == OUTCOME_VALUE && outcome.code == 1, "{ VALUE, 1 } of the inner call",
           "another outcome");
    return call_go_on(stop);
}

void once_call_inside(const struct once *once, struct puppet *worker)
{
    struct inner inner = { .once = once, .store = "inner" };
    struct how how = { .directions = { .at = call_inside, .context = &inner }, .on = "outer" };
    struct event event = an_event();

    once->make("inner");
    once->make("outer");
    worker_open(worker, "inner", 50);
    worker_open(worker, "outer", 50);
    expect_outcome(call_once(once, worker, spec_of(event), &how), outcome_value(1));
    expect_same("rows of the outer call", once->rows("outer"), once->with(&event, 1));
    expect_same("rows of the inner calls", once->rows("inner"), once->with(inner.events, 3));
}
