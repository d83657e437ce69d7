#include <nlohmann/json.hpp>

#include "fuzz/parsers.h"
#include "report/mlflow/mlflow_answer.h"
#include "report/mlflow/mlflow_state.h"

namespace ganscale::fuzz {

/// What a tracking server answers: to a request that it takes, and to others.
void parse_mlflow_answer(Bytes input) {
  for (const int status : {200, 404}) {
    try {
      const auto answer =
          report::parse_mlflow_answer("runs/create", status, std::string(text_of(input)));
      check(status == 200 && answer.is_object(), "a refusal is taken for an answer");
      report::text_of_answer(answer, {"run", "info", "artifact_uri"});
      check(!report::id_of_answer(answer, {"run", "info", "run_id"}).empty(), "a run has no id");
    } catch (const report::MlflowError& refusal) {
      check(!std::string_view(refusal.what()).empty(), "an answer is refused without a message");
    }
  }
}

void parse_mlflow_state(Bytes input) {
  take_or_refuse([&] {
    const nlohmann::json json = report::parse_mlflow_state(std::string(text_of(input)));
    check(nlohmann::json(report::parse_mlflow_state(json.dump())) == json, "a state changes");
  });
}

}  // namespace ganscale::fuzz
