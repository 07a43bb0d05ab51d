/* heap.c - see heap.h */
#include "heap.h"

#include "base.h"
#include "borrow.h"
#include "observation.h"
#include "rollback.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdlib.h>

/* Of the sanitizers' runtime, where the build has one (sanitizer/allocator_interface.h). */
/* NOLINTBEGIN(readability-identifier-naming) */
__attribute__((weak)) int
__sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                          void (*on_free)(const volatile void *));
/* NOLINTEND(readability-identifier-naming) */

#define PAGE_BYTES       4096  /* a page, from a connection's first write on: its scratch space */
#define SCRATCH_BYTES    4300  /* that, and what SQLite puts around it                          */
#define FIRST_BYTES      5120  /* the most that a connection keeps of its first call            */
#define KEEPERS_MAX      8     /* a library may keep something of its first few calls           */
#define CONNECTION_BYTES 16384 /* what a connection that was opened takes itself                */

static bool is_learners; /* who runs                                  */
static int in_sqlite;    /* depth of calls in SQLite's allocator      */
static long kept;        /* blocks that learner code allocated, less those it freed */
static sqlite3_int64 unaccounted;
static bool is_suspect;
static int keepers; /* calls that kept blocks */
static struct {
    sqlite3_int64 says; /* bytes that a page counts for in SQLITE_DBSTATUS_CACHE_USED */
    sqlite3_int64 more; /* and what it takes beyond them */
} page;
static sqlite3_mem_methods real;
static int allocations; /* of SQLite and cJSON for learner code, since heap_fail_at */
static int fails_at;    /* this one has no memory; 0: none                          */
static bool denied_rollback;

static void on_malloc(const volatile void *block, size_t bytes)
{
    (void)bytes;
    if (block && is_learners && !in_sqlite)
        kept++;
}

static void on_free(const volatile void *block)
{
    if (block && is_learners && !in_sqlite)
        kept--;
}

static bool has_run_out(void)
{
    if (!is_learners || ++allocations != fails_at)
        return false;
    denied_rollback = rollback_is_under_way();
    return true;
}

static void *json_malloc(size_t bytes)
{
    return has_run_out() ? NULL : malloc(bytes);
}

static void *sqlite_malloc(int bytes)
{
    void *block;

    if (has_run_out())
        return NULL;
    in_sqlite++;
    block = real.xMalloc(bytes);
    in_sqlite--;
    return block;
}

static void sqlite_free(void *block)
{
    in_sqlite++;
    real.xFree(block);
    in_sqlite--;
}

static void *sqlite_realloc(void *old, int bytes)
{
    void *block;

    if (has_run_out())
        return NULL;
    in_sqlite++;
    block = real.xRealloc(old, bytes);
    in_sqlite--;
    return block;
}

void heap_watch(void)
{
    cJSON_Hooks hooks = { json_malloc, free };
    sqlite3_mem_methods ours;

    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK)
        die("SQLite does not say how it allocates");
    ours = real;
    ours.xMalloc = sqlite_malloc;
    ours.xFree = sqlite_free;
    ours.xRealloc = sqlite_realloc;
    /* Without pages in advance, what a cache has is what it says that it has. */
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) != SQLITE_OK ||
        sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0) != SQLITE_OK)
        die("SQLite was in use already");
    cJSON_InitHooks(&hooks);
    if (__sanitizer_install_malloc_and_free_hooks)
        __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}

void heap_fail_at(int allocation)
{
    fails_at = allocation;
    allocations = 0;
    denied_rollback = false;
}

int heap_allocations(void)
{
    return allocations;
}

bool heap_denied_rollback(void)
{
    return denied_rollback;
}

bool heap_is_learners(bool learners)
{
    bool before = is_learners;

    is_learners = learners;
    return before;
}

static sqlite3_int64 status_of(sqlite3 *con, int kind)
{
    int current = 0;
    int highest = 0;

    return sqlite3_db_status(con, kind, &current, &highest, 0) == SQLITE_OK ? current : 0;
}

/* Bytes that SQLite has and that are not in the caches of the connection. */
static sqlite3_int64 bytes_outside(sqlite3 *con)
{
    sqlite3_int64 bytes = sqlite3_memory_used();
    sqlite3_int64 cached;

    if (!con)
        return bytes;
    cached = status_of(con, SQLITE_DBSTATUS_CACHE_USED);
    if (page.says)
        bytes -= cached / page.says * page.more;
    return bytes - cached - status_of(con, SQLITE_DBSTATUS_SCHEMA_USED) -
           status_of(con, SQLITE_DBSTATUS_STMT_USED);
}

void heap_learn(void)
{
    sqlite3 *con = NULL;
    sqlite3_int64 bytes;
    sqlite3_int64 cached;

    if (borrow_open(":memory:", &con, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) != SQLITE_OK ||
        sqlite3_exec(con, "CREATE TABLE large (bytes); INSERT INTO large VALUES (zeroblob(1000))",
                     NULL, NULL, NULL) != SQLITE_OK)
        die("out of memory");
    bytes = bytes_outside(con);
    cached = status_of(con, SQLITE_DBSTATUS_CACHE_USED);
    /* A page of overflow has PAGE_BYTES less 4 of it (https://sqlite.org/fileformat2.html). */
    if (sqlite3_exec(con, "UPDATE large SET bytes = zeroblob(1000 + 64 * 4092)", NULL, NULL,
                     NULL) != SQLITE_OK)
        die("out of memory");
    page.more = (bytes_outside(con) - bytes) / 64 / 8 * 8;
    page.says = (status_of(con, SQLITE_DBSTATUS_CACHE_USED) - cached) / 64;
    borrow_close(con);
}

void heap_before(sqlite3 *con)
{
    kept = 0;
    unaccounted = bytes_outside(con);
}

/* What a connection may keep of this call: some of it comes once, at one call or another. */
static sqlite3_int64 allowance(const sqlite3 *con, sqlite3_int64 grown)
{
    static struct {
        const sqlite3 *con;
        bool has_scratch;
    } seen[16];
    static size_t next;
    size_t i = 0;

    if (!con)
        return 0;
    while (i < sizeof seen / sizeof *seen && seen[i].con != con)
        i++;
    if (i == sizeof seen / sizeof *seen) {
        i = next++ % i;
        seen[i].con = con;
        seen[i].has_scratch = grown >= PAGE_BYTES;
        return FIRST_BYTES;
    }
    if (seen[i].has_scratch || grown < PAGE_BYTES)
        return 0;
    seen[i].has_scratch = true;
    return SCRATCH_BYTES;
}

void heap_after(sqlite3 *con, bool is_opened)
{
    sqlite3_int64 grown = bytes_outside(con) - unaccounted;

    keepers += kept > 0;
    if (kept > 0 || grown > (is_opened ? CONNECTION_BYTES : allowance(con, grown)))
        is_suspect = true;
}

bool heap_is_suspect(void)
{
    return is_suspect;
}

void heap_judge(cJSON *breaches)
{
    auto_free char *got = xprintf("%d calls kept memory that they had allocated", keepers);

    if (keepers >= KEEPERS_MAX)
        observation_add(breaches, "common.3", "what a call acquires it releases", got);
}
