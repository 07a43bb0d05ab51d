/* storage.c - see storage.h */
#include "storage.h"

#include "base.h"

#include <sqlite3.h>
#include <string.h>

struct storage_file {
    sqlite3_file base;
    sqlite3_file *real; /* lies behind this struct, as SQLite allocates both in one */
    sqlite3_io_methods methods;
};

static struct {
    bool armed;
    bool reads;
    int at;
    int code;
    int operations;
    void (*stop)(int operation, const char *what);
} trap;

static sqlite3_vfs *real_vfs;
static sqlite3_vfs storage_vfs;

void storage_arm(int at, int code, bool reads, void (*stop)(int operation, const char *what))
{
    trap.armed = true;
    trap.reads = reads;
    trap.at = at;
    trap.code = code;
    trap.operations = 0;
    trap.stop = stop;
}

int storage_disarm(void)
{
    trap.armed = false;
    return trap.operations;
}

/* Counts one operation; what it returns is the operation's result where it is not SQLITE_OK. */
static int touch(const char *what)
{
    if (!trap.armed)
        return SQLITE_OK;
    trap.operations++;
    if (trap.at != STORAGE_EVERY && trap.operations != trap.at)
        return SQLITE_OK;
    if (trap.code == SQLITE_OK)
        trap.stop(trap.operations, what);
    return trap.code;
}

#define REAL(file)                 (((struct storage_file *)(file))->real)
#define PASS_ON(file, method, ...) (REAL(file)->pMethods->method(REAL(file), __VA_ARGS__))

static int do_close(sqlite3_file *file)
{
    return REAL(file)->pMethods->xClose(REAL(file));
}

static int do_read(sqlite3_file *file, void *to, int bytes, sqlite3_int64 offset)
{
    int code = trap.reads ? touch("read") : SQLITE_OK;

    return code ? code : PASS_ON(file, xRead, to, bytes, offset);
}

static int do_write(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 offset)
{
    int code = touch("write");

    return code ? code : PASS_ON(file, xWrite, from, bytes, offset);
}

static int do_truncate(sqlite3_file *file, sqlite3_int64 bytes)
{
    int code = touch("truncate");

    return code ? code : PASS_ON(file, xTruncate, bytes);
}

static int do_sync(sqlite3_file *file, int flags)
{
    (void)file;
    (void)flags;
    return touch("sync");
}

static int do_file_size(sqlite3_file *file, sqlite3_int64 *bytes)
{
    return PASS_ON(file, xFileSize, bytes);
}

static int do_lock(sqlite3_file *file, int level)
{
    int code = touch("lock");

    return code ? code : PASS_ON(file, xLock, level);
}

static int do_unlock(sqlite3_file *file, int level)
{
    /* SQLite looks at no error of an unlock, so only the kill can be told of it. */
    if (trap.code == SQLITE_OK)
        touch("unlock");
    return PASS_ON(file, xUnlock, level);
}

static int do_check_reserved(sqlite3_file *file, int *reserved)
{
    return PASS_ON(file, xCheckReservedLock, reserved);
}

static int do_file_control(sqlite3_file *file, int op, void *argument)
{
    return PASS_ON(file, xFileControl, op, argument);
}

static int do_sector_size(sqlite3_file *file)
{
    return REAL(file)->pMethods->xSectorSize(REAL(file));
}

static int do_characteristics(sqlite3_file *file)
{
    return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}

static int do_shm_map(sqlite3_file *file, int page, int bytes, int extend, void volatile **map)
{
    return PASS_ON(file, xShmMap, page, bytes, extend, map);
}

static int do_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    int code = SQLITE_OK;

    if ((flags & SQLITE_SHM_LOCK) || trap.code == SQLITE_OK)
        code = touch("shm-lock");
    return code ? code : PASS_ON(file, xShmLock, offset, count, flags);
}

static void do_shm_barrier(sqlite3_file *file)
{
    REAL(file)->pMethods->xShmBarrier(REAL(file));
}

static int do_shm_unmap(sqlite3_file *file, int remove)
{
    return PASS_ON(file, xShmUnmap, remove);
}

static int do_fetch(sqlite3_file *file, sqlite3_int64 offset, int bytes, void **page)
{
    return PASS_ON(file, xFetch, offset, bytes, page);
}

static int do_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page)
{
    return PASS_ON(file, xUnfetch, offset, page);
}

static int do_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    struct storage_file *shim = (struct storage_file *)file;
    int code;

    (void)vfs;
    memset(shim, 0, sizeof *shim);
    shim->real = (sqlite3_file *)(shim + 1);
    code = real_vfs->xOpen(real_vfs, name, shim->real, flags, out);
    if (!shim->real->pMethods)
        return code;
    shim->methods = (sqlite3_io_methods){
        .iVersion = shim->real->pMethods->iVersion < 3 ? shim->real->pMethods->iVersion : 3,
        .xClose = do_close,
        .xRead = do_read,
        .xWrite = do_write,
        .xTruncate = do_truncate,
        .xSync = do_sync,
        .xFileSize = do_file_size,
        .xLock = do_lock,
        .xUnlock = do_unlock,
        .xCheckReservedLock = do_check_reserved,
        .xFileControl = do_file_control,
        .xSectorSize = do_sector_size,
        .xDeviceCharacteristics = do_characteristics,
        .xShmMap = shim->real->pMethods->xShmMap ? do_shm_map : NULL,
        .xShmLock = do_shm_lock,
        .xShmBarrier = do_shm_barrier,
        .xShmUnmap = do_shm_unmap,
        .xFetch = do_fetch,
        .xUnfetch = do_unfetch,
    };
    shim->base.pMethods = &shim->methods;
    return code;
}

static int do_delete(sqlite3_vfs *vfs, const char *name, int sync_directory)
{
    int code = touch("delete");

    (void)vfs;
    (void)sync_directory; /* as in do_sync */
    return code ? code : real_vfs->xDelete(real_vfs, name, 0);
}

void storage_install(void)
{
    real_vfs = sqlite3_vfs_find(NULL);
    if (!real_vfs)
        die("SQLite has no default VFS");
    storage_vfs = *real_vfs; /* its other methods do without their first argument's data */
    storage_vfs.pNext = NULL;
    storage_vfs.szOsFile += (int)sizeof(struct storage_file);
    storage_vfs.xOpen = do_open;
    storage_vfs.xDelete = do_delete;
    if (sqlite3_vfs_register(&storage_vfs, 1) != SQLITE_OK)
        die("SQLite refuses the storage shim");
}
