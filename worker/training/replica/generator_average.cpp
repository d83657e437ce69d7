#include "training/replica/generator_average.h"

#include "config/units.h"

namespace ganscale::training {

std::string file_of_average(double kimg) { return "generator_ema_" + config::format_number(kimg); }

GeneratorAverage::GeneratorAverage(std::shared_ptr<models::Generator> average,
                                   std::shared_ptr<const models::Generator> source,
                                   const optim::EmaConfig& config, std::int64_t batch)
    : average_(std::move(average)),
      source_(std::move(source)),
      config_(config),
      batch_(batch),
      parameters_(named_parameters(*average_)) {
  begin(*average_);
}

void GeneratorAverage::add_other(double kimg, std::shared_ptr<models::Generator> average) {
  begin(*average);
  others_.push_back({kimg, std::move(average)});
}

void GeneratorAverage::begin(models::Generator& average) const {
  copy_into(named_state(average), named_state(*source_), "the average of the generator");
  average.eval();
  for (auto& parameter : average.parameters()) parameter.set_requires_grad(false);
}

void GeneratorAverage::end_step(std::int64_t images_seen, bool is_moved) {
  if (is_moved) {
    optim::copy_buffers(*average_, *source_);
  } else {
    optim::update_ema(*average_, *source_, optim::ema_beta(config_, batch_, images_seen));
  }
  for (const OtherAverage& other : others_) {
    const double beta = optim::ema_beta(config_.with(other.kimg), batch_, images_seen);
    optim::update_ema(*other.generator, *source_, beta);
  }
}

}  // namespace ganscale::training
