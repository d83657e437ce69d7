#include "training/run/precision.h"

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
  if (config.model.low_precision_type == at::kFloat) return name_of(Precision::kFp32);
  const int lowest = config.model.blueprint->lowest_low_precision_resolution();
  if (lowest > config.model.resolution) return name_of(Precision::kTf32);
  const std::string side = std::to_string(lowest);
  return name_of(precision) + " from " + side + "x" + side + " pixels on, else tf32";
}

}  // namespace ganscale::training
