#include <nlohmann/json.hpp>
#include <stdexcept>

#include "config/node.h"
#include "fuzz/parsers.h"
#include "wire/job_status.h"

namespace ganscale::fuzz {

void parse_assignment(Bytes input) {
  take_or_refuse([&] {
    const config::Node root = config::parse_assignment(std::string(text_of(input)));
    check(root.map() != nullptr && root.map()->size() == 1, "an assignment is not one key");
  });
}

void parse_job_status(Bytes input) {
  const auto json =
      nlohmann::ordered_json::parse(text_of(input), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return;
  try {
    const wire::JobStatus status = wire::parse_job_status(json);
    wire::parse_job_status(wire::to_json(status));
  } catch (const std::invalid_argument& refusal) {
    check(!std::string_view(refusal.what()).empty(), "a status is refused without a message");
  }
}

/// Taken, or refused with file and line.
void parse_yaml(Bytes input) {
  take_or_refuse_at("run.yaml", [&] {
    config::Node root = config::parse_yaml(text_of(input), "run.yaml");
    const config::Node again = root;
    config::overlay(root, again);
  });
}

}  // namespace ganscale::fuzz
