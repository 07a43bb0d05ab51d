/* ordered_change_block.c - a turn that cannot be taken, as a change; ordered_change.h */
#include "ordered_change.h"

#include "base.h"

struct change change_block(void)
{
    const char *flow = a_name();
    struct envelope event = event_of(flow, 1, a_quantity());
    struct envelope later = event_of(flow, 2, 7);

    event.payload = "{}";
    return (struct change){
        .function = "apply_next",
        .role = "consumer",
        .points = { "" }, /* none is reached */
        .tables = { "inbox" },
        .before = xprintf("%s%s", inbox_row(&later, 0, 0, NULL), inbox_row(&event, 0, 0, NULL)),
        .last = xprintf("UPDATE inbox SET blocked = 1, reason = 'bad_payload'"
                        " WHERE event_id = '%s';",
                        event.event_id),
        .done = outcome_value(RECEIPT_BLOCKED),
        .again = outcome_value(RECEIPT_BLOCKED),
        .event = event,
    };
}
