#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ganscale::report {

/// A request to a tracking server failed.
class MlflowError : public std::runtime_error {
 public:
  /// may_pass: the server is down, slow or busy; otherwise it refused the request.
  MlflowError(const std::string& what, bool may_pass, std::string code = "")
      : std::runtime_error(what), may_pass_(may_pass), code_(std::move(code)) {}
  bool may_pass() const { return may_pass_; }
  /// Returns MLflow's name of the error, such as RESOURCE_DOES_NOT_EXIST; empty without an answer.
  const std::string& code() const { return code_; }

 private:
  bool may_pass_;
  std::string code_;
};

/// Returns the answer of a tracking server, an object.
///
/// what: was asked, for the error. status: of HTTP.
/// Throws: MlflowError with the reason that the server gives, if it refuses the request.
nlohmann::ordered_json parse_mlflow_answer(const std::string& what, int status,
                                           const std::string& body);

/// Returns the text in an answer that these keys lead to; an empty one if there is none.
std::string text_of_answer(const nlohmann::ordered_json& answer,
                           const std::vector<std::string>& keys);

/// Returns the same, an id. Throws MlflowError that may pass if there is none: the answer may be a
/// proxy's.
std::string id_of_answer(const nlohmann::ordered_json& answer,
                         const std::vector<std::string>& keys);

}  // namespace ganscale::report
