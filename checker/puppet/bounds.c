/* bounds.c - see bounds.h */
#include "bounds.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILE_BYTES_MAX   ((rlim_t)64 << 20)
#define MEMORY_BYTES_MAX ((rlim_t)512 << 20)

static void bound(int resource, rlim_t most)
{
    struct rlimit limit = { most, most };

    setrlimit((__rlimit_resource_t)resource, &limit);
}

/*
 * RLIMIT_DATA counts private memory that can be written: the sanitizer's shadow, terabytes that
 * are reserved and not used, is there already and part of where the count starts.
 */
static void bound_memory(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long long pages;

    if (file && fscanf(file, "%*s %*s %*s %*s %*s %llu", &pages) == 1) /* NOLINT(cert-err34-c) */
        bound(RLIMIT_DATA, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + MEMORY_BYTES_MAX);
    if (file)
        fclose(file);
}

void bounds_set(void)
{
    signal(SIGXFSZ, SIG_IGN);
    bound(RLIMIT_FSIZE, FILE_BYTES_MAX);
    bound(RLIMIT_CORE, 0);
    bound_memory();
}
