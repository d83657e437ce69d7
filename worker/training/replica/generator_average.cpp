#include "training/replica/generator_average.h"

namespace ganscale::training {

GeneratorAverage::GeneratorAverage(std::shared_ptr<models::Generator> average,
                                   std::shared_ptr<const models::Generator> source,
                                   const optim::EmaConfig& config, std::int64_t batch)
    : average_(std::move(average)),
      source_(std::move(source)),
      config_(config),
      batch_(batch),
      parameters_(named_parameters(*average_)) {
  copy_into(named_state(*average_), named_state(*source_), "the average of the generator");
  average_->eval();
  for (auto& parameter : average_->parameters()) parameter.set_requires_grad(false);
}

void GeneratorAverage::end_step(const optim::Averages& averages, bool is_moved) {
  if (is_moved) {
    optim::copy_buffers(*average_, *source_);
  } else {
    optim::update_ema(*average_, *source_, averages.beta);
  }
}

}  // namespace ganscale::training
