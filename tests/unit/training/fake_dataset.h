#pragma once

#include <memory>
#include <utility>

#include "training/run/dataset.h"
#include "unit/data/fake_source.h"

namespace ganscale::training {

/// Returns a fake source's images for a dcgan of 32 x 32 gray pixels.
inline Dataset fake_dataset(std::unique_ptr<data::FakeSource> source) {
  const auto record_count = source->record_count();
  return {.source = std::move(source),
          .policy = {.channels = 1, .resolution = 32, .fit = data::Fit::kPad},
          .facts = {.model = "dcgan", .record_count = record_count, .channels = 1}};
}

}  // namespace ganscale::training
