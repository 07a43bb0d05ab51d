/*
 * libgit2.c - spares every check the libgit2 that Criterion brings along
 *
 * Criterion uses libgit2 for the differences that it prints of failed assertions.  It starts it in
 * each test process, which parses the machine's whole store of certificates, and the linker loads
 * a dozen libraries for it: together that takes longer than most checks do.  Findings show their
 * own texts, so that the suites load this library in its place: it has the same name and lies
 * beside them (DT_RPATH, ld.so(8)).
 */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(void);

/* The number of starts so far, as libgit2 counts them. */
int git_libgit2_init(void)
{
    return 1;
}

int git_libgit2_shutdown(void)
{
    return 0;
}

/* An error: there is no difference to be shown. */
int git_diff_buffers(void)
{
    return -1;
}
