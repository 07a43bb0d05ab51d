/*
 * storage.h - a VFS between SQLite and the disk that counts what SQLite does to files and
 * can stop or fail at the k-th operation (https://sqlite.org/vfs.html).
 *
 * What counts: write, sync, truncate, delete, and every change of a lock (of the file, and
 * of the shared memory in WAL mode); reads too where they are asked for.  A sync is counted
 * but not passed on: the death of a process does not lose what the kernel has.
 */
#ifndef STORAGE_H
#define STORAGE_H

#include <stdbool.h>

/* Becomes the default VFS, under the name "unix". */
void storage_install(void);

#define STORAGE_EVERY (-1)

/*
 * From now on operations are counted from 1.  At the at-th one: where code is 0 stop is
 * called, before the operation takes place, else the operation is left out and code (an
 * SQLite result code) is its result.  at 0 only counts; STORAGE_EVERY is each of them.
 */
void storage_arm(int at, int code, bool reads, void (*stop)(int operation, const char *what));

/* Stops counting; the number of operations since storage_arm. */
int storage_disarm(void);

#endif
