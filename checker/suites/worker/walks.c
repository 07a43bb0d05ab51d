/* Steps 3 to 7: walks, the net for mistakes that nobody has thought of.  A walk that fails names the clause. */
#include "stage.h"
#include "worker_walk.h"

WALK_CHECK(enqueue, a_walk_of_enqueue_goes_as_the_contract_says, "common.7")
{
    walk(WALK_ENQUEUE);
}

WALK_CHECK(pending, a_walk_of_pending_goes_as_the_contract_says, "common.7")
{
    walk(WALK_PENDING);
}

WALK_CHECK(receive, a_walk_of_receive_goes_as_the_contract_says, "common.7")
{
    walk(WALK_RECEIVE);
}

WALK_CHECK(mark_sent, a_walk_of_mark_sent_goes_as_the_contract_says, "common.7")
{
    walk(WALK_MARK_SENT);
}

WALK_CHECK(dispatch, a_walk_of_dispatch_goes_as_the_contract_says, "common.7")
{
    walk(WALK_DISPATCH);
}
