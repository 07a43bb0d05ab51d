/* ordered_scene_state.c - all rows of both sides, as a scenario sees them; ordered_scene.h */
#include "ordered_scene.h"

#include <string.h>

const char *sides_name(const struct sides *sides, const char *event_id)
{
    return sides->masked && event_id && strcmp(sides->masked, event_id) == 0 ? sides->masked_name
                                                                             : event_id;
}

#define EVENT_MEMBERS                                                                              \
    "'event_id', event_id, 'flow_id', flow_id, 'seq', seq, 'schema', schema, 'stage', stage,"      \
    " 'payload', payload"

/* Positions are left out, as in side_query: a row has its place, and a right worker may leave holes. */
static const struct {
    const char *side, *table, *query;
} tables[] = {
    { "producer", "flow",
      "SELECT json_object('flow_id', flow_id, 'stage', stage, 'seq', seq, 'quantity', quantity)"
      " FROM flow ORDER BY flow_id" },
    { "producer", "outbox",
      "SELECT json_object(" EVENT_MEMBERS ", 'accepted', accepted) FROM outbox ORDER BY position" },
    { "consumer", "inbox",
      "SELECT json_object(" EVENT_MEMBERS ", 'applied', applied, 'blocked', blocked, 'reason',"
      " reason) FROM inbox ORDER BY position" },
    { "consumer", "projection",
      "SELECT json_object('flow_id', flow_id, 'stage', stage, 'last_seq', last_seq, 'quantity',"
      " quantity) FROM projection ORDER BY flow_id" },
    { "consumer", "effect",
      "SELECT json_object('event_id', event_id, 'flow_id', flow_id, 'seq', seq, 'stage', stage,"
      " 'quantity', quantity) FROM effect ORDER BY flow_id, seq, event_id" },
};

static void mask(const struct sides *sides, const cJSON *rows)
{
    cJSON *row;

    cJSON_ArrayForEach(row, rows)
    {
        const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "event_id"));

        if (id && sides_name(sides, id) != id)
            cJSON_ReplaceItemInObjectCaseSensitive(row, "event_id",
                                                   cJSON_CreateString(sides->masked_name));
    }
}

static cJSON *state_of(const struct sides *sides, const char *side)
{
    cJSON *state = cJSON_CreateObject();

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        cJSON *rows;

        if (strcmp(tables[i].side, side) != 0)
            continue;
        rows = scene_rows(side, tables[i].query);
        mask(sides, rows);
        cJSON_AddItemToObject(state, tables[i].table, rows);
    }
    return state;
}

void sides_look(const struct sides *sides)
{
    cJSON *step = scene_step("the checker", "looks at both stores");

    cJSON_AddItemToObject(step, "producer", state_of(sides, "producer"));
    cJSON_AddItemToObject(step, "consumer", state_of(sides, "consumer"));
}

void sides_end(const struct sides *sides)
{
    scene_end_with("producer", state_of(sides, "producer"));
    scene_end_with("consumer", state_of(sides, "consumer"));
}
