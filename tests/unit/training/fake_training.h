#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "support/temporary_folder.h"
#include "training/loop/training_context.h"
#include "training/run/run_config.h"
#include "unit/training/fake_dataset.h"

namespace ganscale::training {

/// A fixture for trainings on the images of a fake source, in a temporary folder.
class FakeTraining : public testing::Test {
 protected:
  /// Returns what `use` returns for the context of a rank that trains on the source in the run
  /// folder of that name.
  template <class Use>
  auto with_context(comm::Group& group, std::unique_ptr<data::FakeSource> source, const Use& use,
                    const std::string& run = "run") const {
    source->unreadable = unreadable_;
    const Dataset dataset = fake_dataset(std::move(source));
    telemetry::Instruments instruments;
    return use(TrainingContext{.config = config_,
                               .folder = RunFolder(folder_ / run),
                               .dataset = dataset,
                               .devices = at::kCPU,
                               .group = group,
                               .stop = stop_,
                               .instruments = instruments,
                               .start = start_});
  }

  RunFolder folder() const { return RunFolder(folder_ / "run"); }

  const TemporaryFolder folder_;
  const StopSignal stop_;
  RunConfig config_;
  std::set<std::int64_t> unreadable_;  ///< records
  nlohmann::ordered_json start_;
};

}  // namespace ganscale::training
