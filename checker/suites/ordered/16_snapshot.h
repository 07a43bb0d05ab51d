/* 16_snapshot.h - what the suites of step 16 share: a store of each side, and what its snapshot is */
#ifndef SUITE_SNAPSHOT_H
#define SUITE_SNAPSHOT_H

#include "base.h"
#include "moments.h"
#include "ordered_change.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define WIDE "9007199254740993"

static const char producer_text[] =
    "{\"flow\":["
    "{\"flow_id\":\"AA\",\"stage\":\"confirmed\",\"seq\":\"" WIDE "\",\"quantity\":1000000},"
    "{\"flow_id\":\"a\",\"stage\":\"reserved\",\"seq\":\"1\",\"quantity\":7}],"
    "\"outbox\":["
    "{\"position\":3,\"event_id\":\"e3\",\"flow_id\":\"a\",\"seq\":\"1\",\"schema\":2,"
    "\"stage\":\"reserved\",\"payload\":\" {\\\"units\\\":7}\",\"accepted\":1},"
    "{\"position\":4294967307,\"event_id\":\"e1\",\"flow_id\":\"AA\",\"seq\":\"" WIDE
    "\",\"schema\":1,"
    "\"stage\":\"confirmed\",\"payload\":\"{}\",\"accepted\":0}]}";

static inline void make_producer(const char *store)
{
    side_make(
        "producer", store,
        "INSERT INTO flow VALUES ('a', 'reserved', 1, 7), ('AA', 'confirmed', " WIDE ", 1000000);"
        "INSERT INTO outbox VALUES (4294967307, 'e1', 'AA', " WIDE ", 1, 'confirmed', '{}', 0),"
        " (3, 'e3', 'a', 1, 2, 'reserved', ' {\"units\":7}', 1);");
}

static const char consumer_text[] =
    "{\"inbox\":["
    "{\"position\":2,\"event_id\":\"e9\",\"flow_id\":\"b\",\"seq\":\"9223372036854775807\","
    "\"schema\":7,\"stage\":\"x\",\"payload\":\"\",\"applied\":0,\"blocked\":1,"
    "\"reason\":\"unknown_version\"},"
    "{\"position\":5,\"event_id\":\"e1\",\"flow_id\":\"a\",\"seq\":\"1\",\"schema\":1,"
    "\"stage\":\"reserved\",\"payload\":\"{}\",\"applied\":1,\"blocked\":0,\"reason\":null}],"
    "\"projection\":["
    "{\"flow_id\":\"aa\",\"stage\":\"x\",\"last_seq\":\"" WIDE "\",\"quantity\":9},"
    "{\"flow_id\":\"b\",\"stage\":\"reserved\",\"last_seq\":\"1\",\"quantity\":7}],"
    "\"effect\":["
    "{\"event_id\":\"dd9\",\"flow_id\":\"b\",\"seq\":\"" WIDE "\",\"stage\":\"x\",\"quantity\":9},"
    "{\"event_id\":\"e1\",\"flow_id\":\"a\",\"seq\":\"1\",\"stage\":\"reserved\","
    "\"quantity\":7}]}";

/* Neither length, nor number, nor any other column puts the rows of a table into this order. */
static inline void make_consumer(const char *store)
{
    side_make("consumer", store,
              "INSERT INTO inbox VALUES"
              " (5, 'e1', 'a', 1, 1, 'reserved', '{}', 1, 0, NULL),"
              " (2, 'e9', 'b', 9223372036854775807, 7, 'x', '', 0, 1, 'unknown_version');"
              "INSERT INTO projection VALUES ('b', 'reserved', 1, 7), ('aa', 'x', " WIDE ", 9);"
              "INSERT INTO effect VALUES ('e1', 'a', 1, 'reserved', 7), ('dd9', 'b', " WIDE
              ", 'x', 9);");
}

static inline void expect_tables(struct answer answer, const char *tables)
{
    const char *got = answer_text(answer, "tables");

    expect_outcome(answer, outcome_value(1));
    expect(is_same_json(got, tables), tables, "%s", got);
}

#endif
