#include "training/phases/graph_recorder.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/stack.h>

#include <utility>

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
  check(input.given.empty() && !input.fakes, "recorded phases draw their latents");
  check(input.images.seed == input_.images.seed &&
            input.images.image_stride == input_.images.image_stride,
        "recorded phases draw the numbers of one seed and stride");
  input_.real.images.copy_(real.images, /*non_blocking=*/true);
  if (real.labels.defined()) input_.real.labels.copy_(real.labels, /*non_blocking=*/true);
  first_image_.fill_(input.images.first_image);
}

PhaseOutput GraphRecorder::compute_gradients(Phase& phase) {
  Recorded& recorded = phases_[phase.name];
  if (!recorded.graph) {
    recorded.graph =
        std::make_unique<device::CudaGraph>(first_image_.device(), [this, &phase, &recorded] {
          pack(training::compute_gradients(phase, input_).statistics, recorded);
        });
  }
  replica_.generator().prepare_weights();
  replica_.discriminator().prepare_weights();
  recorded.graph->run();
  group_.watch_stream();
  // The next phase may take their memory.
  const std::vector<at::Tensor> values = recorded.statistics.clone().unbind();
  NamedTensors statistics;
  for (std::size_t i = 0; i < values.size(); ++i) statistics[recorded.names[i]] = values[i];
  return {.statistics = std::move(statistics)};
}

void GraphRecorder::pack(const NamedTensors& statistics, Recorded& recorded) {
  recorded.names.clear();
  std::vector<at::Tensor> values;
  for (const auto& [name, value] : statistics) {
    recorded.names.push_back(name);
    values.push_back(value);
  }
  recorded.statistics = at::stack(values);
}

}  // namespace ganscale::training
