#include "training/phases/graph_recorder.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "base/error.h"

namespace ganscale::training {

void GraphRecorder::set_input(const StepInput& input) {
  const data::Batch& real = input.real;
  if (!input_.real.images.defined()) {
    first_image_ = at::empty({}, real.images.options().dtype(at::kLong));
    input_ = {.real = {at::empty_like(real.images),
                       real.labels.defined() ? at::empty_like(real.labels) : real.labels},
              .images = input.images};
    input_.images.first_image_in_memory = first_image_.const_data_ptr<std::int64_t>();
  }
  check(input.given.empty(), "recorded phases draw their latents");
  check(input.images.seed == input_.images.seed &&
            input.images.image_stride == input_.images.image_stride,
        "recorded phases draw the numbers of one seed and stride");
  input_.real.images.copy_(real.images, /*non_blocking=*/true);
  if (real.labels.defined()) input_.real.labels.copy_(real.labels, /*non_blocking=*/true);
  first_image_.fill_(input.images.first_image);
}

NamedTensors GraphRecorder::compute_gradients(Phase& phase) {
  Recorded& recorded = phases_[phase.name];
  if (!recorded.graph) {
    recorded.graph =
        std::make_unique<device::CudaGraph>(first_image_.device(), [this, &phase, &recorded] {
          recorded.statistics = training::compute_gradients(phase, input_);
        });
  }
  recorded.graph->run();
  group_.watch_stream();
  NamedTensors statistics;  // the next phase may take their memory
  for (const auto& [name, value] : recorded.statistics) statistics[name] = value.clone();
  return statistics;
}

}  // namespace ganscale::training
