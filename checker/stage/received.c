/* received.c - see received.h */
#include "stage/received.h"

#include <stdlib.h>
#include <strings.h>

const char *received_header(const struct received *request, const char *name)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (!strcasecmp(request->headers[i].name, name))
            return request->headers[i].value;
    return NULL;
}

int received_header_count(const struct received *request, const char *name)
{
    int count = 0;

    for (size_t i = 0; i < request->header_count; i++)
        count += !strcasecmp(request->headers[i].name, name);
    return count;
}

void received_free(struct received *request)
{
    if (!request)
        return;
    for (size_t i = 0; i < request->header_count; i++) {
        free(request->headers[i].name);
        free(request->headers[i].value);
    }
    free(request->headers);
    free(request->target);
    free(request->body);
    free(request);
}
