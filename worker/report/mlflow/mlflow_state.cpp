#include "report/mlflow/mlflow_state.h"

#include <cstdint>
#include <exception>

#include "base/error.h"
#include "wire/integers.h"

namespace ganscale::report {

MlflowState parse_mlflow_state(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    wire::require_integers<std::int64_t>(json, {"stats_images_seen", "metrics_images_seen"});
    return json.get<MlflowState>();
  } catch (const std::exception& error) {
    throw DataError(error.what());
  }
}

}  // namespace ganscale::report
