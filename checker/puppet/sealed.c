/* sealed.c - see sealed.h */
#include "sealed.h"

#include "base.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct sealed sealed_copy(const char *text)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t length = text ? strlen(text) + 1 : 0;
    const size_t readable = (length + page - 1) / page * page;
    struct sealed sealed = { .bytes = readable + page };
    char *end;

    if (!text)
        return (struct sealed){ 0 };
    sealed.pages =
        mmap(NULL, sealed.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sealed.pages == MAP_FAILED)
        die("mmap: %s", strerror(errno));
    end = (char *)sealed.pages + readable;
    sealed.text = memcpy(end - length, text, length);
    if (mprotect(sealed.pages, readable, PROT_READ) != 0 || mprotect(end, page, PROT_NONE) != 0)
        die("mprotect: %s", strerror(errno));
    return sealed;
}

void sealed_free(struct sealed *sealed)
{
    if (sealed->pages)
        munmap(sealed->pages, sealed->bytes);
    *sealed = (struct sealed){ 0 };
}
