/* script.c - see script.h */
#include "stage/script.h"

#include "base.h"

#include <stdlib.h>
#include <string.h>

static const struct response right_answer;

static struct response answer_rightly(void *context, const struct received *request)
{
    (void)context;
    if (!strcmp(request->method, "CONNECT"))
        return (struct response){ .status = 405, .ending = ENDING_CLOSE };
    return right_answer;
}

void script_open(struct script *script)
{
    *script = (struct script){ .decide = answer_rightly };
    pthread_mutex_init(&script->lock, NULL);
}

void script_close(struct script *script)
{
    while (script->queue_taken < script->queue_count)
        response_free(&script->queue[script->queue_taken++]);
    free(script->queue);
    response_free(&script->standing);
    pthread_mutex_destroy(&script->lock);
}

void script_add(struct script *script, const struct response *response)
{
    struct response copy = response_copy(response ? response : &right_answer);

    pthread_mutex_lock(&script->lock);
    script->queue =
        xrealloc(script->queue, (size_t)(script->queue_count + 1) * sizeof *script->queue);
    script->queue[script->queue_count++] = copy;
    pthread_mutex_unlock(&script->lock);
}

void script_set(struct script *script, const struct response *response)
{
    struct response copy = response_copy(response ? response : &right_answer);

    pthread_mutex_lock(&script->lock);
    response_free(&script->standing);
    script->standing = copy;
    script->decide = response ? NULL : answer_rightly;
    pthread_mutex_unlock(&script->lock);
}

void script_set_decider(struct script *script, server_decider *decide, void *context)
{
    pthread_mutex_lock(&script->lock);
    script->decide = decide ? decide : answer_rightly;
    script->context = context;
    pthread_mutex_unlock(&script->lock);
}

struct response script_next(struct script *script, const struct received *request)
{
    server_decider *decide = NULL;
    void *context;
    struct response next;

    pthread_mutex_lock(&script->lock);
    context = script->context;
    if (script->queue_taken < script->queue_count) {
        next = script->queue[script->queue_taken++];
    } else {
        decide = script->decide;
        next = response_copy(&script->standing);
    }
    pthread_mutex_unlock(&script->lock);
    if (decide) {
        struct response decided = decide(context, request);

        response_free(&next);
        next = response_copy(&decided);
    }
    return next;
}
