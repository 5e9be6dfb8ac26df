// Who led, of a trial of the workload leader: how often another one did, for how long anybody did,
// and what was asked of the servers meanwhile.
#include "harness/base/scope.h"
#include "harness/check/sweep.h"
#include "harness/stats/statistics.h"
#include "harness/workloads/workload.h"

#include <math.h>

bool trial_has_leaders(const struct trial *trial)
{
    const struct workload *workload = workload_find(trial->scenario->workload.kind);
    return workload != NULL && workload->leads;
}

void leadership_measure(const struct trial_model *model, const struct herd *herd,
                        struct leadership *leadership)
{
    AUTO_FREE struct spans led = {0};
    const struct hold *before = NULL;
    int64_t length_ns = model->ended_ns - model->started_ns;
    *leadership = (struct leadership){.share_led = NAN, .requests_per_second = NAN};
    if (!trial_has_leaders(model->trial) || trial_model_mixes_locks(model) || length_ns <= 0)
        return;
    leadership->is_known = true;
    FOR_EACH_ACCESS (access, model)
        leadership->acts += access->is_write && access->outcome == OUTCOME_OK;
    FOR_EACH_HOLD (hold, model) {
        int64_t from_ns = time_later(hold->granted_ns, model->started_ns);
        int64_t to_ns =
            time_earlier(time_earlier(hold->released_ns, hold->told_lost_ns), model->ended_ns);
        leadership->terms++;
        leadership->changes += before != NULL && worker_key(hold) != worker_key(before);
        before = hold;
        if (to_ns > from_ns)
            span_add(&led, (struct span){from_ns, to_ns});
    }
    spans_join(&led);
    int64_t led_ns = 0;
    FOR_EACH (span, span, led.items, led.count)
        led_ns += span->to_ns - span->from_ns;
    leadership->share_led = (double)led_ns / (double)length_ns;
    if (herd->is_known)
        leadership->requests_per_second =
            (double)(herd->acquire_requests + herd->release_requests + herd->renewals) *
            (double)NS_PER_S / (double)length_ns;
}
