#include "training/loop/report_evaluation.h"

#include "base/error.h"
#include "base/log.h"

namespace ganscale::training {

void report_evaluation(const MetricsLine& line, const TrainingContext& context,
                       wire::JobStatus& status) {
  if (const auto fid = first_value(line.measured, "fid")) {
    context.instruments.fid.set(*fid);
    status.fid = fid;
  }
  if (const auto score = first_value(line.measured, "is"))
    context.instruments.inception_score.set(*score);
  log::info("Evaluated the generator", {{"metrics", to_json(line).dump()}});
  try {
    append_if_newest(context.folder.metrics(), line);
  } catch (const DataError& error) {
    log::warning("Cannot write the metrics", {{"reason", error.what()}});
  }
}

}  // namespace ganscale::training
