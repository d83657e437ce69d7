#include "report/mlflow/mlflow_answer.h"

#include "base/utf8.h"
#include "report/log/line_values.h"

namespace ganscale::report {
namespace {

constexpr int kOk = 200;
constexpr int kRequestTimeout = 408;
constexpr int kTooManyRequests = 429;
constexpr int kInternalError = 500;  // and the server's other errors

/// kOk: with an answer that is not MLflow's, but of a proxy whose server is away.
bool may_pass(int status) {
  return status == kOk || status >= kInternalError || status == kRequestTimeout ||
         status == kTooManyRequests;
}

}  // namespace

nlohmann::ordered_json parse_mlflow_answer(const std::string& what, int status,
                                           const std::string& body) {
  // Not const: it is moved, since a copy would recurse with the levels of the JSON.
  auto json = nlohmann::ordered_json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (status == kOk && json.is_object()) return json;
  constexpr std::size_t kLongestReason = 300;
  const std::string message = text_of_answer(json, {"message"});
  const std::string reason = message.empty() ? body : nlohmann::json(message).dump();
  const std::string code = text_of_answer(json, {"error_code"});
  throw MlflowError(what + ": HTTP status " + std::to_string(status) +
                        (code.empty() ? "" : " " + code) + ": " +
                        valid_utf8(reason.substr(0, kLongestReason)),
                    may_pass(status), code);
}

std::string text_of_answer(const nlohmann::ordered_json& answer,
                           const std::vector<std::string>& keys) {
  const auto* const value = find_at(answer, keys);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

std::string id_of_answer(const nlohmann::ordered_json& answer,
                         const std::vector<std::string>& keys) {
  std::string id = text_of_answer(answer, keys);
  if (id.empty()) {
    throw MlflowError("the answer of the server has no " + keys.back(),
                      /*may_pass=*/true);
  }
  return id;
}

}  // namespace ganscale::report
