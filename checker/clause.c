/* clause.c - see clause.h */
#include "clause.h"

#include "base.h"
#include "home.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES_MAX ((size_t)1024 * 1024)

/* Behind the star that opens a line of a comment, and the blanks around it. */
static const char *skip_star(const char *line)
{
    line += strspn(line, " \t");
    if (line[0] == '*' && line[1] != '/')
        line++;
    return line + strspn(line, " \t");
}

static bool ends_clause(const char *line)
{
    return *line == '\0' || *line == '\n' || *line == '\r' || *line == '[' ||
           strncmp(line, "*/", 2) == 0;
}

/* False where the comment ends in this line. */
static bool add_line(struct text *sentence, const char *line)
{
    size_t bytes = strcspn(line, "\r\n");
    const char *end = memmem(line, bytes, "*/", 2);

    if (end)
        bytes = (size_t)(end - line);
    while (bytes && isspace((unsigned char)line[bytes - 1]))
        bytes--;
    if (sentence->bytes && bytes)
        text_add(sentence, " ");
    text_add_bytes(sentence, line, bytes);
    return !end;
}

char *clause_find(const char *header, const char *tag)
{
    auto_free char *bracketed = xprintf("[%s]", tag);
    const char *line = header;
    struct text sentence = { 0 };

    while (line && strncmp(skip_star(line), bracketed, strlen(bracketed)) != 0) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (!line)
        return NULL;
    line = skip_star(line) + strlen(bracketed);
    line += strspn(line, " \t");
    while (add_line(&sentence, line)) {
        line = strchr(line, '\n');
        if (!line || ends_clause(line = skip_star(line + 1)))
            break;
    }
    return sentence.data;
}

static char *read_header(const char *part)
{
    auto_free char *name = xprintf("%s/%s.h", part, part);
    auto_free char *path = home_steps(name);
    FILE *file = fopen(path, "re");
    char *data;
    size_t bytes;

    if (!file)
        return NULL;
    data = xmalloc(HEADER_BYTES_MAX + 1);
    bytes = fread(data, 1, HEADER_BYTES_MAX, file);
    data[bytes] = '\0';
    fclose(file);
    return data;
}

char *clause_sentence(const char *part, const char *tag)
{
    auto_free char *header = read_header(part);
    auto_free char *raw = header ? clause_find(header, tag) : NULL;

    return raw ? escape(raw, strlen(raw), false) : NULL;
}
