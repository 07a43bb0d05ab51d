/* next.h - the definition of a library's function behind one of the puppet's own of that name */
#ifndef NEXT_H
#define NEXT_H

#include "base.h"

#include <dlfcn.h>

#define EXPORTED __attribute__((visibility("default")))

/* Through a pointer to the pointer, since C has no cast for it (dlsym(3)). */
#define NEXT(function)                                                                             \
    __extension__({                                                                                \
        static __typeof__(&function) next;                                                         \
        if (!next)                                                                                 \
            *(void **)&next = dlsym(RTLD_NEXT, #function);                                         \
        if (!next)                                                                                 \
            die("libsqlite3 has no " #function);                                                   \
        next;                                                                                      \
    })

#endif
