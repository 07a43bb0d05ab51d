/* Step 6: steps/worker/06-mark_sent.md */
#include "worker_round.h"

#include <stdlib.h>
#include <string.h>

static void expect_each(struct puppet *worker, const struct event *events, int count,
                        struct outcome outcome)
{
    for (int i = 0; i < count; i++)
        expect_outcome(call_mark_sent(worker, spec_of(events[i]), NULL), outcome);
}

static const char *const invalid_texts[] = {
    "{\"id\": \"%s\", \"qty\": true}",
    "{\"id\": \"%s\", \"qty\": 0}",
    "{\"id\": \"%s\", \"qty\": -1}",
    "{\"id\": \"%s\", \"qty\": 1.5}",
    "{\"id\": \"%s\", \"qty\": 1001}",
    "{\"id\": \"%s\", \"qty\": 4294967297}",
    "{\"id\": \"%s\", \"qty\": \"1\"}",
    "{\"id\": \"%s\", \"qty\": null}",
    "{\"id\": \"%s\"}",
    "{\"id\": \"%s\", \"qty\": 1, \"sent\": 0}",
    "{\"id\": \"%1$s\", \"qty\": 1, \"id\": \"%1$s\"}",
    "{\"ID\": \"%s\", \"qty\": 1}",
    "{\"id\": \"%s\\n\", \"qty\": 1}",
    "{\"id\": \" %s\", \"qty\": 1}",
    "{\"id\": [\"%s\"], \"qty\": 1}",
    "[\"%s\", 1]",
    "\"%s\"",
};

static void expect_all_are_refused(struct puppet *worker, const char *id)
{
    for (size_t i = 0; i < sizeof invalid_texts / sizeof *invalid_texts; i++) {
        auto_free char *text = xprintf(invalid_texts[i], id);

        expect_outcome(call_mark_sent(worker, spec_text(text), NULL),
                       outcome_of(OUTCOME_INVALID, 0));
    }
    expect_outcome(call_mark_sent(worker, spec_odd("NULL", event_of(id, 1)), NULL),
                   outcome_of(OUTCOME_INVALID, 0));
}

CHECK(mark_sent, an_event_that_is_none_is_refused_at_once_and_nothing_is_marked, "mark_sent.1")
{
    struct event event = an_event();
    event.qty = 1;
    source_fill("source", &event, 1, "0");
    struct puppet *worker = worker_at("source", 50);

    expect_all_are_refused(worker, event.id);
    hand_do(hand_open("source"), "BEGIN IMMEDIATE");
    expect_outcome(call_mark_sent(worker, spec_text("{\"id\": \"a\", \"qty\": 0}"), NULL),
                   outcome_of(OUTCOME_INVALID, 0));

    expect_same("rows", source_rows_exact("source"),
                xprintf("orders:\n'%s'|1\noutbox:\n1|'%s'|1|0\n", event.id, event.id));
}

/* 64 characters that end so. */
static struct event a_long_event(const char *end, int qty)
{
    struct event event = event_of("", qty);

    memset(event.id, 'x', 64);
    memcpy(event.id + 64 - strlen(end), end, strlen(end));
    return event;
}

/* Marks one after the other in this order, all but one, and looks each time at every row. */
static void expect_marked_one_by_one(struct puppet *worker, const struct event *events, int count,
                                     const int *order)
{
    auto_free char *marks = xmalloc((size_t)count + 1);

    memset(marks, '0', (size_t)count);
    for (int i = 0; i < count - 1; i++) {
        marks[order[i]] = '1';
        expect_outcome(call_mark_sent(worker, spec_of(events[order[i]]), NULL), outcome_value(1));
        expect_same("rows", source_rows("source"), source_with(events, count, marks));
    }
}

static const char audit[] = "CREATE TABLE audit (id); CREATE TRIGGER audits AFTER UPDATE ON outbox"
                            " BEGIN INSERT INTO audit VALUES (new.id); END;";

static const char written_unmarked[] =
    "SELECT DISTINCT id FROM audit WHERE id NOT IN (SELECT id FROM outbox WHERE sent = 1)";

static const char rows_n1_to_n1200[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)"
    " INSERT INTO outbox (id, qty, sent) SELECT 'n' || i, 7, 0 FROM n";

static void expect_marks_among_many(struct puppet *worker)
{
    const struct how on_many = { .on = "many" };

    source_make_as("many");
    store_change("many", rows_n1_to_n1200);
    worker_open(worker, "many", 50);
    expect_outcome(call_mark_sent(worker, spec_of(event_of("n150", 7)), &on_many),
                   outcome_value(1));
    expect_outcome(call_mark_sent(worker, spec_of(event_of("n1", 7)), &on_many), outcome_value(1));
    expect_outcome(call_mark_sent(worker, spec_of(event_of("n1200", 7)), &on_many),
                   outcome_value(1));
    expect_same("rows that are marked",
                store_rows("many", "SELECT id FROM outbox WHERE sent = 1 ORDER BY seq"),
                xstrdup("n1\nn150\nn1200\n"));
}

CHECK(mark_sent, only_the_row_of_the_event_is_marked_whatever_its_place_and_id, "mark_sent.2")
{
    const struct event events[] = {
        event_of("axb", 7),   event_of("a_b", 7),   event_of("A_B", 7),      event_of("a_b_", 7),
        event_of("_", 7),     an_event(),           event_of("010", 7),      event_of("10", 7),
        event_of("1e1", 7),   event_of("id", 7),    a_long_event("-", 1000), event_of("a", 1),
        a_long_event("0", 7), a_long_event("1", 7),
    };
    source_fill("source", events, 14, "00000000000000");
    store_change("source", "UPDATE outbox SET seq = 4294967297 WHERE seq = 14;"
                           "UPDATE outbox SET seq = seq - 6 WHERE seq < 7");
    store_change("source", audit);
    struct puppet *worker = worker_at("source", 50);

    expect_marked_one_by_one(worker, events, 14,
                             (const int[]){ 13, 1, 4, 7, 9, 2, 10, 6, 11, 0, 12, 3, 8 });

    expect_same("seq of the rows",
                store_rows("source", "SELECT min(seq), max(seq), count(*) FROM outbox"),
                xstrdup("-5|4294967297|14\n"));
    expect_same("rows that were written and are not marked", store_rows("source", written_unmarked),
                xstrdup(""));
    expect_marks_among_many(worker);
}

static const char lone_rows[] = "INSERT INTO outbox (id, qty, sent) VALUES ('lone', 3, 0);"
                                "INSERT INTO orders VALUES ('differs', 4);"
                                "INSERT INTO outbox (id, qty, sent) VALUES ('differs', 5, 0);";

CHECK(mark_sent, the_outbox_row_counts_whatever_the_orders_say, "mark_sent.2")
{
    const struct how on_wide = { .on = "wide" };
    source_make();
    store_change("source", lone_rows);
    store_make("wide", STORE_UTF16);
    source_make_as("wide");
    store_change("wide", lone_rows);
    struct puppet *worker = worker_at("source", 50);

    expect_outcome(call_mark_sent(worker, spec_odd("constant names", event_of("lone", 3)), NULL),
                   outcome_value(1));
    expect_outcome(call_mark_sent(worker, spec_odd("reference", event_of("differs", 4)), NULL),
                   outcome_of(OUTCOME_CONFLICT, 0));
    expect_outcome(call_mark_sent(worker, spec_of(event_of("differs", 5)), NULL), outcome_value(1));
    worker_open(worker, "wide", 50);
    stage_did("(then in a store with PRAGMA encoding = 'UTF-16')");
    expect_outcome(call_mark_sent(worker, spec_of(event_of("lone", 3)), &on_wide),
                   outcome_value(1));

    expect_same("rows", source_rows("source"),
                xstrdup("orders:\n'differs'|4\noutbox:\n'lone'|3|1\n'differs'|5|1\n"));
}

CHECK(mark_sent, an_event_that_is_sent_already_stays_as_it_is, "mark_sent.3")
{
    struct event events[3];
    draw_events(events, 3);
    source_fill("source", events, 3, "010");
    struct puppet *worker = worker_at("source", 50);

    expect_outcome(call_mark_sent(worker, spec_of(events[1]), NULL), outcome_value(0));
    expect_outcome(call_mark_sent(worker, spec_of(events[2]), NULL), outcome_value(1));
    expect_outcome(call_mark_sent(worker, spec_of(events[2]), NULL), outcome_value(0));
    expect_outcome(call_mark_sent(worker, spec_of(events[2]), NULL), outcome_value(0));
    expect_outcome(call_mark_sent(worker, spec_of(events[1]), NULL), outcome_value(0));

    expect_same("rows", source_rows("source"), source_with(events, 3, "011"));
    stage_proves("mark_sent.7");
    expect_same("PRAGMA busy_timeout, as it was before the calls",
                puppet_rows(worker, "source", "PRAGMA busy_timeout"), xstrdup("50\n"));
}

CHECK(mark_sent, an_id_without_a_row_is_refused_in_a_full_and_an_empty_outbox, "mark_sent.4")
{
    const struct event known = a_long_event("k", 9);
    const struct event unknown[] = { a_long_event("K", 9), event_of("x", 9), event_of("1", 9),
                                     event_of("ordered", 9) };
    source_fill("source", &known, 1, "0");
    source_make_as("empty");
    store_change("source", "INSERT INTO orders VALUES ('ordered', 9)");
    struct puppet *worker = worker_at("source", 50);
    worker_open(worker, "empty", 50);

    expect_each(worker, unknown, 4, outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(call_mark_sent(worker, spec_of(known), &(struct how){ .on = "empty" }),
                   outcome_of(OUTCOME_INVALID, 0));

    expect_same("marks", source_marks("source"), xstrdup("0"));
}

static void expect_conflicts(struct puppet *worker, const char *id, const int *qtys, int count)
{
    for (int i = 0; i < count; i++) {
        const struct event event = event_of(id, qtys[i]);

        expect_each(worker, &event, 1, outcome_of(OUTCOME_CONFLICT, 0));
    }
}

CHECK(mark_sent, another_qty_is_a_conflict_whether_sent_or_not, "mark_sent.5")
{
    const struct event events[] = { event_of("fresh", 500), event_of("sent", 500),
                                    event_of("one", 1) };
    source_fill("source", events, 3, "010");
    struct puppet *worker = worker_at("source", 50);

    expect_conflicts(worker, "fresh", (const int[]){ 499, 501, 1, 1000, 244, 756, 5 }, 7);
    expect_conflicts(worker, "sent", (const int[]){ 501, 499, 1000, 1 }, 4);
    expect_conflicts(worker, "one", (const int[]){ 2, 1000, 257, 10 }, 4);

    expect_same("rows", source_rows("source"), source_with(events, 3, "010"));
}

static const char no_deletes[] =
    "CREATE TRIGGER orders_stay BEFORE DELETE ON orders BEGIN SELECT RAISE(ABORT, 'stays'); END;"
    "CREATE TRIGGER outbox_stays BEFORE DELETE ON outbox BEGIN SELECT RAISE(ABORT, 'stays'); END;";

CHECK(mark_sent, no_row_is_deleted_not_even_to_be_put_back, "mark_sent.6")
{
    struct event events[3];
    draw_events(events, 3);
    source_fill("source", events, 3, "000");
    store_change("source", no_deletes);
    struct puppet *worker = worker_at("source", 50);
    free(puppet_rows(worker, "source", "PRAGMA recursive_triggers = ON"));

    expect_each(worker, events, 3, outcome_value(1));
    expect_each(worker, events, 3, outcome_value(0));

    expect_same("rows", source_rows("source"), source_with(events, 3, "111"));
}
