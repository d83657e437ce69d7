#include "training/run/precision.h"

#include "models/contract/model.h"

namespace ganscale::training {
namespace {

std::string name_of(Precision precision) { return std::string(name_in(kPrecisions, precision)); }

}  // namespace

std::string describe_precision(Precision precision, const models::ModelConfig& model) {
  if (!low_precision_type(precision)) return name_of(precision);
  if (model.low_precision_type == at::kFloat) return name_of(Precision::kFp32);
  const int lowest = model.blueprint->lowest_low_precision_resolution();
  if (lowest > model.resolution) return name_of(Precision::kTf32);
  const std::string side = std::to_string(lowest);
  return name_of(precision) + " from " + side + "x" + side + " pixels on, else tf32";
}

}  // namespace ganscale::training
