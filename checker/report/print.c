/* print.c - see print.h */
#include "report/print.h"

#include "base.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 88

void print_colored(const struct print *print, enum print_color color, const char *text)
{
    static const char *const codes[] = {
        [PRINT_PLAIN] = "0", [PRINT_BOLD] = "1",    [PRINT_GREEN] = "32",
        [PRINT_RED] = "31",  [PRINT_YELLOW] = "33",
    };

    if (print->color)
        printf("\033[%sm%s\033[0m", codes[color], text);
    else
        fputs(text, stdout);
}

const char *print_tick(const struct print *print)
{
    return print->unicode ? "\xe2\x9c\x93" : "ok";
}

const char *print_cross(const struct print *print)
{
    return print->unicode ? "\xe2\x9c\x97" : "x";
}

const char *print_dot(const struct print *print)
{
    return print->unicode ? "\xc2\xb7" : "-";
}

/* Columns of UTF-8: its bytes but the continuing ones. */
static int columns_of(const char *text, size_t bytes)
{
    int count = 0;

    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

int print_columns(const char *text)
{
    return columns_of(text, strlen(text));
}

void print_wrapped(int indent, const char *text)
{
    int column = indent;

    while (*text) {
        size_t bytes = strcspn(text, " \n");
        int width = columns_of(text, bytes);

        if (column > indent && column + 1 + width > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        fwrite(text, 1, bytes, stdout);
        column += width;
        text += bytes;
        if (*text == '\n')
            column = WIDTH;
        text += *text != '\0';
    }
    putchar('\n');
}

void print_prefixed(const char *prefix, const char *text, int lines_max)
{
    int lines = 0, left_out = 0;

    while (*text) {
        size_t bytes = strcspn(text, "\n");

        if (lines_max && lines >= lines_max)
            left_out++;
        else
            printf("%s%.*s\n", prefix, (int)bytes, text);
        lines++;
        text += bytes + (text[bytes] == '\n');
    }
    if (left_out)
        printf("%s[%d more lines: see them with -v]\n", prefix, left_out);
}

void print_last(const char *prefix, const char *text, int lines_max)
{
    int lines = 0;

    for (const char *end = text; *end; end += *end == '\n') {
        end += strcspn(end, "\n");
        lines++;
    }
    if (lines_max && lines > lines_max) {
        printf("%s[%d lines before: see them with -v]\n", prefix, lines - lines_max);
        for (int left_out = lines - lines_max; left_out > 0; left_out--)
            text = strchr(text, '\n') + 1;
    }
    print_prefixed(prefix, text, 0);
}

/* 'quoted' where it holds printable text only, $'\x..' with escapes where it does not. */
