#include "checkpoint/checkpoint_config.h"

#include "checkpoint/retention.h"

namespace ganscale::checkpoint {

CheckpointConfig parse_checkpoint(config::Section in) {
  CheckpointConfig c;
  c.every_kimg = in.get("every_kimg", c.every_kimg,
                        "thousands of images between two checkpoints; 0: only before evaluations "
                        "and at the end");
  in.require(c.every_kimg, config::at_least(0), "every_kimg", "must not be negative");
  c.keep_last = in.get("keep_last", c.keep_last, "number of newest checkpoints to keep; 0: all");
  in.require(c.keep_last, config::at_least(0), "keep_last", "must not be negative");
  c.keep_best = in.get("keep_best", c.keep_best,
                       "metric whose best checkpoints are kept as well (fid50k), or empty");
  in.require(c.keep_best.empty() || better_direction(c.keep_best).has_value(), "keep_best",
             "unknown metric: " + c.keep_best);
  c.keep_best_count = in.get("keep_best_count", c.keep_best_count,
                             "number of best checkpoints to keep, by keep_best");
  in.require(c.keep_best_count, config::at_least(1), "keep_best_count", "must be at least 1");
  const auto on_error = in.get_choice("on_error", "continue", {"continue", "stop"},
                                      "what to do when a checkpoint can't be written");
  c.on_error = on_error == "stop" ? OnError::kStop : OnError::kContinue;
  in.reject_unread_keys();
  return c;
}

}  // namespace ganscale::checkpoint
