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
  if (lowest > model.resolution.shorter_side()) return name_of(Precision::kTf32);
  return name_of(precision) + " from " + text_of(model.resolution.scaled_to(lowest)) +
         " pixels on, else tf32";
}

}  // namespace ganscale::training
