#pragma once

#include "training/evaluation/metrics_log.h"
#include "training/loop/training_context.h"
#include "wire/job_status.h"

namespace ganscale::training {

/// Reports an evaluation to the log, the instruments and the status, and appends it to metrics.jsonl
/// as append_if_newest() does: warns if that can't be written. Called by rank 0.
void report_evaluation(const MetricsLine& line, const TrainingContext& context,
                       wire::JobStatus& status);

}  // namespace ganscale::training
