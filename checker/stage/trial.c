/* trial.c - see trial.h */
#include "trial.h"

#include "base.h"
#include "stage.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool trial_holds(void (*body)(void *context), void *context)
{
    pid_t pid;
    int status = 0;

    stage_enter_directory(); /* an earlier trial may have taken it away */
    pid = fork();
    if (pid < 0)
        die("fork: %s", strerror(errno));
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        stage_begin_trial();
        body(context);
        stage_end_trial();
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            die("waitpid: %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) == STAGE_TRIAL_BROKEN)
        die("a trial broke (status %d)", status);
    return WEXITSTATUS(status) == STAGE_TRIAL_HELD;
}
