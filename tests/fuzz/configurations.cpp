#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/images/number_list.h"
#include "config/node.h"
#include "config/units.h"
#include "fuzz/parsers.h"
#include "metrics/evaluate_config.h"
#include "planning/model/calibration.h"
#include "planning/model/conditions.h"
#include "wire/job_status.h"
#include "wire/role_plan.h"

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

/// What `ganscale plan` reads: a machine, conditions, measurements and results of `ganscale bench`.
void parse_machine(Bytes input) {
  const std::string origin = "machine.yaml";
  config::Node root;
  take_or_refuse_at(origin, [&] { root = config::parse_yaml(text_of(input), origin); });
  if (root.map() == nullptr) return;
  planning::Machine machine = planning::machine_of_name("dgx-a100");
  take_or_refuse_at(origin, [&] {
    machine = planning::parse_machine(config::Section(root));
    check(machine.bytes_per_second_of_node() > 0, "a machine has no links");
  });
  take_or_refuse_at(origin, [&] { planning::parse_conditions(config::Section(root)); });
  take_or_refuse_at(origin, [&] {
    const auto point = planning::parse_bench_result(config::Section(root), machine);
    check(machine.nodes_of(point.scale.gpus) > 0, "a measurement is of no nodes");
  });
  take_or_refuse_at(origin, [&] { planning::parse_calibration(config::Section(root), machine); });
}

void parse_metric(Bytes input) {
  take_or_refuse([&] {
    const auto metric = metrics::parse_metric(std::string(text_of(input)));
    check(metric.image_count >= 2 && metric.neighbors >= 0, "a metric needs too few images");
  });
}

/// The texts of options and settings that stand for numbers.
void parse_number(Bytes input) {
  const std::string text(text_of(input));
  config::parse_bytes(text);
  check(std::isfinite(config::parse_seconds(text).value_or(0)), "a time is not finite");
  config::parse_integer(text);
  if (const auto number = config::parse_number(text)) {
    check(std::isfinite(*number), "a number is not finite");
    check(config::parse_number(config::format_number(*number)) == number, "a number changes");
  }
  const auto ratio = wire::parse_ratio(text);
  check(!ratio || (ratio->generator > 0 && ratio->discriminator > 0), "a ratio has no ranks");
  take_or_refuse([&] {
    const auto numbers = cli::parse_numbers("--seeds", text);
    check(numbers.size() <= 1'000'000, "there are more than a million numbers");
    cli::consecutive_spans(numbers, 64);
  });
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
