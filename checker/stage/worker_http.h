/*
 * worker_http.h - send_http against the warehouse's server: what was sent, what is answered,
 * what the call came to.
 */
#ifndef WORKER_HTTP_H
#define WORKER_HTTP_H

#include "port.h"
#include "server.h"
#include "worker_calls.h"

#define USUAL_TIMEOUT "3"   /* for a call that is not to wait for it */
#define SHORT_TIMEOUT "0.1" /* for one that is */
#define SHORT_MS      2000  /* such a call is back: three times that, and much room */

/*
 * A timeout of so many milliseconds, scaled, for a call that may wait that long and is to begin
 * now: at most 5 seconds, and a third of the time that the stage gives a call.  The caller frees
 * it.
 */
char *scaled_timeout(int ms);

/* A worker, and the server that it sends to. */
struct courier {
    struct puppet *worker;
    struct server *server;
};

struct courier courier_start(void);

/* Notes what the server is going to answer, its body in these words. */
void note_answer(const struct response *answer, const char *body);

/* One call, to this url, with this event; to the courier's server. */
struct answer send_to(struct puppet *worker, const char *url, struct event event,
                      const char *timeout);
struct answer send_event(struct courier courier, struct event event, const char *timeout);

/* The server answers so; the call is made with a new event.  '@' in the body is its id. */
struct answer send_for(struct courier courier, const struct response *answer, const char *timeout);

/* The same for each answer in turn; each comes to this outcome, or to this kind of error. */
void send_for_each(struct courier courier, const struct response *answers, size_t count,
                   struct outcome expected);
void send_for_each_kind(struct courier courier, const struct response *answers, size_t count,
                        const char *timeout, enum outcome_kind kind);

/* The server's answer 200 with each of these bodies, '@' for the id; each comes to this. */
void send_for_each_body(struct courier courier, const char *const *bodies, size_t count,
                        const char *id, struct outcome expected);

/* The same for whole answers, bytes as they are, behind which the connection closes. */
void send_for_each_raw(struct courier courier, const char *const *raws, size_t count,
                       const char *id, struct outcome expected);

/* No connection to the server is open any more, [send_http.10]: it waits for that, scaled. */
void expect_idle(struct server *server);

/* So many requests were begun, whole or not, and none is on its way. */
void expect_requests(struct server *server, int count);

/* No client ever connected. */
void expect_untouched(struct server *server);

/* The i-th request is the one POST that the contract describes, for this event. */
void expect_post(struct server *server, int i, struct event event);

/* The call came back within this time, scaled. */
/* A transfer that failed, with whatever CURLcode, or that outcome. */
void expect_curl_or(struct answer answer, struct outcome other);

void expect_within(struct answer answer, int ms);

/* Sets a variable in the worker's environment. */
void set_environment(struct puppet *worker, const char *name, const char *value);

#define EACH(array) (array), sizeof(array) / sizeof *(array)

#endif
