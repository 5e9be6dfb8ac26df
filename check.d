check.o: harness/cli/check.c harness/base/table.h \
  harness/cli/check_case.h harness/cli/check_options.h \
  harness/import/import.h harness/import/problems.h harness/base/text.h \
  harness/model/operations.h harness/history/event.h \
  harness/model/model.h harness/base/error.h harness/history/condition.h \
  harness/import/source.h harness/cli/stored_path.h \
  harness/cli/stored_run.h harness/cli/decision.h \
  harness/report/report.h harness/check/check.h harness/base/clock.h \
  harness/history/reader.h harness/history/stall.h \
  harness/scenario/plan.h harness/scenario/scenario.h \
  harness/base/foreign.h harness/base/persistence.h \
  harness/scenario/limit.h harness/report/environment.h \
  harness/report/latencies.h harness/measure/histogram.h \
  harness/report/phase_costs.h harness/report/percentiles.h \
  harness/base/rank.h harness/report/statistics.h \
  harness/check/fairness.h harness/check/liveness.h \
  harness/check/liveness_herd.h harness/report/driver_bound.h \
  harness/report/recovery.h harness/report/resources.h \
  harness/cli/scenario_files.h harness/cli/run_options.h \
  harness/cli/verb.h

harness/base/table.h:

harness/cli/check_case.h:

harness/cli/check_options.h:

harness/import/import.h:

harness/import/problems.h:

harness/base/text.h:

harness/model/operations.h:

harness/history/event.h:

harness/model/model.h:

harness/base/error.h:

harness/history/condition.h:

harness/import/source.h:

harness/cli/stored_path.h:

harness/cli/stored_run.h:

harness/cli/decision.h:

harness/report/report.h:

harness/check/check.h:

harness/base/clock.h:

harness/history/reader.h:

harness/history/stall.h:

harness/scenario/plan.h:

harness/scenario/scenario.h:

harness/base/foreign.h:

harness/base/persistence.h:

harness/scenario/limit.h:

harness/report/environment.h:

harness/report/latencies.h:

harness/measure/histogram.h:

harness/report/phase_costs.h:

harness/report/percentiles.h:

harness/base/rank.h:

harness/report/statistics.h:

harness/check/fairness.h:

harness/check/liveness.h:

harness/check/liveness_herd.h:

harness/report/driver_bound.h:

harness/report/recovery.h:

harness/report/resources.h:

harness/cli/scenario_files.h:

harness/cli/run_options.h:

harness/cli/verb.h:
