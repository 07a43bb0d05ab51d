/* base.c - see base.h */
#include "base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void (*clean_up_before_death)(void);
static void (*another_end)(const char *why);

void base_close(const int *fd)
{
    if (*fd != -1)
        close(*fd);
}

void base_free(void *pointer_to_pointer)
{
    free(*(void **)pointer_to_pointer);
}

void die_with(void (*clean_up)(void))
{
    clean_up_before_death = clean_up;
}

void die_by(void (*end)(const char *why))
{
    another_end = end;
}

void die(const char *format, ...)
{
    va_list arguments;
    void (*clean_up)(void) = clean_up_before_death;
    void (*end)(const char *) = another_end;
    char why[1000];

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    another_end = NULL;
    if (end)
        end(why);
    fprintf(stderr, "cannot judge here, and that is not your file's fault: %s\n", why);
    clean_up_before_death = NULL;
    if (clean_up)
        clean_up();
    exit(EXIT_CANNOT_JUDGE);
}

void refuse(const char *format, ...)
{
    va_list arguments;

    fputs("checker: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    if (clean_up_before_death)
        clean_up_before_death();
    exit(EXIT_USAGE);
}

void *xmalloc(size_t bytes)
{
    void *fresh = calloc(1, bytes ? bytes : 1);

    if (!fresh)
        die("out of memory");
    return fresh;
}

void *xrealloc(void *old, size_t bytes)
{
    void *fresh = realloc(old, bytes ? bytes : 1);

    if (!fresh)
        die("out of memory");
    return fresh;
}

char *xstrndup(const char *text, size_t bytes_max)
{
    char *copy = strndup(text, bytes_max);

    if (!copy)
        die("out of memory");
    return copy;
}

char *xstrdup(const char *text)
{
    return xstrndup(text, strlen(text));
}

char *xvprintf(const char *format, va_list arguments)
{
    char *text = NULL;

    if (vasprintf(&text, format, arguments) < 0)
        die("out of memory");
    return text;
}

char *xprintf(const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = xvprintf(format, arguments);
    va_end(arguments);
    return text;
}

/* For so many bytes more and a NUL; by doubling, so that a long text is not copied again and again. */
static void make_room(struct text *text, size_t bytes)
{
    size_t needed = text->bytes + bytes + 1;

    if (needed <= text->room)
        return;
    text->room = needed > 2 * text->room ? needed : 2 * text->room;
    text->data = xrealloc(text->data, text->room);
}

void text_add_bytes(struct text *text, const void *data, size_t bytes)
{
    make_room(text, bytes);
    if (bytes)
        memcpy(text->data + text->bytes, data, bytes);
    text->bytes += bytes;
    text->data[text->bytes] = '\0';
}

void text_add(struct text *text, const char *format, ...)
{
    size_t left = text->room - text->bytes;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text->data ? text->data + text->bytes : NULL, left, format, arguments);
    va_end(arguments);
    if (length < 0)
        die("a text cannot be formatted: %s", format);
    if ((size_t)length >= left) {
        make_room(text, (size_t)length);
        va_start(arguments, format);
        vsnprintf(text->data + text->bytes, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    text->bytes += (size_t)length;
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){ 0 };
}

int64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

bool write_all(int fd, const void *data, size_t bytes)
{
    const char *rest = data;

    while (bytes) {
        ssize_t written = write(fd, rest, bytes);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        rest += written;
        bytes -= (size_t)written;
    }
    return true;
}

/* The length of the valid, printable UTF-8 sequence at s, or 0 (RFC 3629, section 4). */
static size_t utf8_length(const unsigned char *s, size_t bytes)
{
    size_t length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

    if (s[0] < 0xc2 || s[0] > 0xf4 || length > bytes)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    if (s[0] == 0xc2 && s[1] < 0xa0) /* the C1 controls, CSI among them */
        return 0;
    if (s[0] == 0xe2 && s[1] == 0x80 &&
        (s[2] == 0xa8 || s[2] == 0xa9 || (s[2] & 0xfe) == 0x8e || (s[2] >= 0xaa && s[2] <= 0xae)))
        return 0; /* line separators and marks that turn the direction of what follows */
    return length;
}

/* The bytes at s that may be shown as they are. */
static size_t shown_length(const unsigned char *s, size_t bytes, bool keep_newlines)
{
    if (s[0] >= 0x80)
        return utf8_length(s, bytes);
    return (s[0] >= 0x20 && s[0] < 0x7f) || s[0] == '\t' || (s[0] == '\n' && keep_newlines);
}

char *escape(const void *data, size_t bytes, bool keep_newlines)
{
    const unsigned char *s = data;
    struct text out = { 0 };

    text_add_bytes(&out, "", 0);
    for (size_t i = 0; i < bytes;) {
        size_t length = shown_length(s + i, bytes - i, keep_newlines);

        if (length)
            text_add_bytes(&out, s + i, length);
        else if (s[i] == '\n' || s[i] == '\r' || s[i] == '\0')
            text_add(&out, "\\%c", s[i] == '\n' ? 'n' : s[i] == '\r' ? 'r' : '0');
        else
            text_add(&out, "\\x%02x", s[i]);
        i += length ? length : 1;
    }
    return out.data;
}

bool read_number(const char *text, uint64_t max, uint64_t *number)
{
    char *end;
    unsigned long long value;

    if (!*text || text[strspn(text, "0123456789")])
        return false;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno || *end || value > max)
        return false;
    *number = value;
    return true;
}
