#include "training/run/precision.h"

#include <ATen/autocast_mode.h>

#include "training/run/run_config.h"

namespace ganscale::training {
namespace {

std::string name_of(Precision precision) {
  switch (precision) {
    case Precision::kFp32: return "fp32";
    case Precision::kFp64: return "fp64";
    case Precision::kTf32: return "tf32";
    case Precision::kBf16: return "bf16";
    case Precision::kFp16: return "fp16";
  }
  return "";
}

}  // namespace

std::string describe_precision(const RunConfig& config) {
  const Precision precision = config.training.precision;
  if (!low_precision_type(precision)) return name_of(precision);
  if (!config.model.traits.chooses_low_precision) return name_of(precision) + " by autocast";
  if (config.model.low_precision_type == at::kFloat) return name_of(Precision::kFp32);
  const int lowest = config.model.blueprint->lowest_low_precision_resolution();
  if (lowest > config.model.resolution) return name_of(Precision::kTf32);
  const std::string side = std::to_string(lowest);
  return name_of(precision) + " from " + side + "x" + side + " pixels on, else tf32";
}

Autocast::Autocast(Precision precision, at::DeviceType device)
    : on_(precision == Precision::kBf16), device_(device) {
  if (!on_) return;
  at::autocast::increment_nesting();
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, at::kBFloat16);
}

Autocast::~Autocast() {
  if (!on_) return;
  at::autocast::set_autocast_enabled(device_, false);
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

}  // namespace ganscale::training
