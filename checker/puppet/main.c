/*
 * main.c - the puppet: the untrusted process that holds the learner's code
 *
 * Nothing that it says is believed further than a claim: who drives it looks at the stores,
 * at the requests that arrived and at how it died.  Started with --serve NAME it is a fork server
 * (serve.h) with a socket of that name; with -i it obeys orders from the terminal, so that a
 * failure can be played again by hand:  puppet-worker -i, then lines such as
 *
 *     {"do":"load","object":"/tmp/worker.so"}
 */
#include "base.h"
#include "channel.h"
#include "commands.h"
#include "heap.h"
#include "serve.h"
#include "settings.h"
#include "storage.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READY_FD 3

static void obey(int in, int out)
{
    setvbuf(stdout, NULL, _IONBF, 0); /* what is printed before a kill is seen too */
    channel_open(in, out);
    for (;;) {
        cJSON *order = channel_listen();
        const char *name = order_text(order, "do");

        if (name && strcmp(name, "bye") == 0)
            _exit(0);
        channel_say(commands_obey(order));
        cJSON_Delete(order);
    }
}

static void play(int channel)
{
    obey(channel, channel);
}

/* What is the same in each puppet is done once, before it is forked. */
static void make_sqlite_ready(void)
{
    heap_watch();
    storage_install();
    heap_learn();
    settings_learn();
}

int main(int argc, char **argv)
{
    /* No process begins with this one: any other shows, the usual and the environment's too. */
    (void)setlocale(LC_MESSAGES, "C.UTF-8");
    make_sqlite_ready();
    if (argc == 3 && strcmp(argv[1], "--serve") == 0)
        serve(argv[2], READY_FD, play);
    if (argc == 2 && strcmp(argv[1], "-i") == 0)
        obey(STDIN_FILENO, STDOUT_FILENO);
    fputs("usage: puppet --serve NAME | puppet -i\n", stderr);
    return EXIT_USAGE;
}
