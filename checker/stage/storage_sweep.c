/* storage_sweep.c - see storage_sweep.h */
#include "storage_sweep.h"

#include "base.h"
#include "hand.h"
#include "stage.h"
#include "store.h"

#include <sqlite3.h>
#include <stdlib.h>

#define OPERATIONS_MAX  300  /* more than any sane call makes */
#define ALLOCATIONS_MAX 3000 /* the same */

static void complete(const struct sweep *sweep, struct puppet *other, const char *store)
{
    struct how plain = { .on = store, .no_hook = true };

    if (!sweep->complete)
        return;
    if (!sweep->opens)
        worker_open(other, store, sweep->busy_timeout_ms);
    sweep->complete(sweep->context, other, &plain);
    if (!sweep->opens)
        worker_close(other, store);
}

static struct outcome kill_here(void *context, struct stop *stop)
{
    (void)context;
    if (stop->kind == STOP_STORAGE)
        puppet_kill(stop->puppet);
    return call_go_on(stop);
}

/* One turn; true where the operation was reached.  erring: the process in which it is to fail. */
static bool turn(const struct sweep *sweep, struct puppet *erring, struct puppet *other, int k,
                 int code)
{
    auto_free char *store = xprintf("%s%d", sweep->store, k);
    struct how how = { .directions.at = code ? NULL : kill_here,
                       .storage_at = k,
                       .storage_code = code,
                       .storage_reads = code != 0,
                       .on = store };
    struct puppet *worker = erring ? erring : puppet_start();
    struct answer answer;

    sweep->make(store);
    if (!sweep->opens)
        worker_open(worker, store, sweep->busy_timeout_ms);
    answer = sweep->call(sweep->context, worker, &how);
    stage_or(code ? STAGE_OR_HANDED_ON : NULL);
    sweep->judge(sweep->context, store, answer);
    stage_or(NULL);
    if (erring && (!sweep->opens || answer.outcome.kind == OUTCOME_VALUE))
        worker_close(erring, store);
    else if (!erring && !answer.killed)
        puppet_kill(worker);
    complete(sweep, other, store);
    return answer.killed || answer.operations >= k;
}

static void sweep_all(const struct sweep *sweep, int code)
{
    struct puppet *erring = code ? puppet_start() : NULL;
    struct puppet *other = sweep->complete ? puppet_start() : NULL;
    int k = 1;

    while (turn(sweep, erring, other, k, code)) {
        stage_forget(); /* only the turn that fails is of interest */
        expect(++k <= OPERATIONS_MAX, "a call with at most 300 storage operations",
               "more than that");
    }
    expect(k > 1, "at least one storage operation on the store", "none");
    stage_note("%d storage operations, %s each", k - 1, code ? "an error at" : "killed at");
}

void sweep_kills_thoroughly(const struct sweep *sweep)
{
    sweep_all(sweep, 0);
}

void sweep_errors(const struct sweep *sweep, int code)
{
    sweep_all(sweep, code);
}

/* A call that is looked at before each of its operations. */
struct looking {
    const struct sweep *sweep;
    struct puppet *other;
    const char *store;
};

static struct outcome look_here(void *context, struct stop *stop)
{
    const struct looking *looking = context;
    const struct sweep *sweep = looking->sweep;
    auto_free char *left = NULL;
    size_t done = stage_done();

    if (stop->kind != STOP_STORAGE)
        return call_go_on(stop);
    expect(stop->operation <= OPERATIONS_MAX, "a call with at most 300 storage operations",
           "more than that");
    left = xprintf("%s-%d", looking->store, stop->operation);
    stage_did("   SIGKILL before storage operation %d (%s) would leave:", stop->operation,
              stop->point);
    store_copy(looking->store, left);
    sweep->judge(sweep->context, left, (struct answer){ .killed = true });
    complete(sweep, looking->other, left);
    stage_forget_since(done);
    return call_go_on(stop);
}

void sweep_kills(const struct sweep *sweep)
{
    struct puppet *worker = puppet_start();
    struct looking looking = { sweep, sweep->complete ? puppet_start() : NULL, sweep->store };
    struct how how = { .directions = { .at = look_here, .context = &looking },
                       .storage_at = STORAGE_EVERY,
                       .on = sweep->store };
    struct answer answer;
    int k;

    sweep->make(sweep->store);
    if (!sweep->opens)
        worker_open(worker, sweep->store, sweep->busy_timeout_ms);
    answer = sweep->call(sweep->context, worker, &how);
    sweep->judge(sweep->context, sweep->store, answer);
    expect(answer.operations > 0, "at least one storage operation on the store", "none");
    stage_forget();
    k = 1 + (int)(stage_random() % (unsigned)answer.operations);
    turn(sweep, NULL, looking.other, k, 0);
    stage_note("%d storage operations, seen as a kill before each leaves them; killed at the %d.",
               answer.operations, k);
}

/* The puppet opens a store for the calls, unless they do so by themselves. */
static char *fresh_store(const struct sweep *sweep, struct puppet *worker, bool is_warm, int number)
{
    char *store = xprintf("%s-%s%d", sweep->store, is_warm ? "warm" : "cold", number);

    sweep->make(store);
    if (!sweep->opens)
        worker_open(worker, store, sweep->busy_timeout_ms);
    return store;
}

/* A store serves until a call gets over its trouble: what calls did half would show in the end. */
static void sweep_memory_where(const struct sweep *sweep, bool is_warm)
{
    struct puppet *worker = puppet_start();
    struct puppet *other = sweep->complete ? puppet_start() : NULL;
    bool more = true;
    int k = 0;

    while (more) {
        auto_free char *store = fresh_store(sweep, worker, is_warm, k);
        size_t done = stage_done();
        struct answer answer;

        do {
            struct how how = { .memory_at = ++k, .on = store };

            stage_forget_since(done);
            expect(k <= ALLOCATIONS_MAX, "a call with at most 3000 allocations", "more than that");
            if (is_warm)
                free(puppet_rows(worker, store, "SELECT count(*) FROM sqlite_schema"));
            answer = sweep->call(sweep->context, worker, &how);
            more = answer.operations >= k;
        } while (more && answer.outcome.kind != OUTCOME_VALUE);
        sweep->judge(sweep->context, store, (struct answer){ .killed = true });
        if (!sweep->opens || answer.outcome.kind == OUTCOME_VALUE)
            worker_close(worker, store);
        complete(sweep, other, store);
        stage_forget();
    }
    stage_note("%d allocations, one after the other without memory%s", k - 1,
               is_warm ? ", where the connection knows the tables" : "");
}

/* A connection reads the tables' names with its first statement: that makes most of the allocations. */
void sweep_memory(const struct sweep *sweep)
{
    sweep_memory_where(sweep, false);
    if (!sweep->opens)
        sweep_memory_where(sweep, true);
}
