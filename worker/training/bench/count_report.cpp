#include "training/bench/count_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "training/run/precision.h"

namespace ganscale::training {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGiga = 1e9;

CountRow row_of(const CountedPhase& phase, const TrainingConfig& training,
                const cost::Device& device) {
  const bool tf32 = allows_tf32(training.precision);
  CountRow row{.name = phase.name,
               .interval = static_cast<double>(phase.interval),
               .peak_bytes = phase.peak_bytes};
  for (const auto* operations : {&phase.gradients, &phase.update}) {
    row.work += cost::work_of(*operations);
    for (const cost::Operation& operation : *operations) {
      row.operators[operation.name] += cost::work_of({&operation, 1});
    }
  }
  row.time =
      cost::time_of(phase.gradients, device, {.in_graph = training.cuda_graphs, .tf32 = tf32});
  row.time += cost::time_of(phase.update, device, {.in_graph = false, .tf32 = tf32});
  return row;
}

std::string line_of(const CountRow& row) {
  const cost::Work& work = row.work;
  return fmt::format(
      "{:<8} {:6.0f} {:10.1f} {:10.1f} {:10.1f} {:8.1f} {:9.2f} {:8.0f} {:6.2f} {:9.1f} {:9.2f}\n",
      row.name, row.interval, work.convolution_flops / kGiga, work.data_gradient_flops / kGiga,
      work.weight_gradient_flops / kGiga, work.matrix_product_flops / kGiga,
      work.memory_bytes / kGiga, work.launches, work.host_reads, work.all_reduce_bytes / 1e6,
      row.time.total() * 1e3);
}

Json json_of(const std::map<std::string, cost::Work>& operators) {
  Json json;
  for (const auto& [name, work] : operators) {
    json[name] = {
        {"launches", work.launches}, {"flops", work.flops()}, {"memory_bytes", work.memory_bytes}};
  }
  return json;
}

Json json_of(const CountRow& row) {
  const cost::Work& work = row.work;
  return {{"interval", row.interval},
          {"flops",
           {{"convolution", work.convolution_flops},
            {"data_gradient", work.data_gradient_flops},
            {"weight_gradient", work.weight_gradient_flops},
            {"matrix_product", work.matrix_product_flops}}},
          {"memory_bytes", work.memory_bytes},
          {"all_reduce_bytes", work.all_reduce_bytes},
          {"launches", work.launches},
          {"host_reads", work.host_reads},
          {"peak_bytes", row.peak_bytes},
          {"operators", json_of(row.operators)},
          {"seconds",
           {{"convolutions", row.time.convolutions},
            {"matrix_products", row.time.matrix_products},
            {"memory", row.time.memory},
            {"kernels", row.time.kernels},
            {"launches", row.time.launches},
            {"total", row.time.total()}}}};
}

}  // namespace

double CountReport::gflop_per_image() const {
  return step.work.flops() * ranks / static_cast<double>(batch) / kGiga;
}

double CountReport::seconds_per_kimg() const {
  return step.time.total() * 1000 / static_cast<double>(batch);
}

CountReport report_counts(std::span<const CountedPhase> phases, const RunConfig& config, int ranks,
                          const cost::Device& device) {
  CountReport report{.device = device,
                     .resolution = config.model.resolution,
                     .batch = config.training.batch,
                     .ranks = ranks};
  for (const CountedPhase& phase : phases) {
    const CountRow row = row_of(phase, config.training, device);
    report.step.work += row.work * (1 / row.interval);
    for (const auto& [name, work] : row.operators) {
      report.step.operators[name] += work * (1 / row.interval);
    }
    report.step.time += row.time * (1 / row.interval);
    report.step.peak_bytes = std::max(report.step.peak_bytes, row.peak_bytes);
    report.phases.push_back(row);
  }
  return report;
}

std::string to_table(const CountReport& report) {
  std::string table =
      "           every    forward   gradient     weight   matrix    memory   "
      "              reduced      time\n"
      "phase       step      GFLOP      GFLOP      GFLOP    GFLOP        GB launches  reads        "
      "MB        ms\n";
  for (const CountRow& row : report.phases) table += line_of(row);
  table += line_of(report.step);
  const cost::Time& time = report.step.time;
  table += fmt::format(
      "{:.0f} GFLOP an image, estimated {:.2f} s/kimg on {} x {}: convolutions {:.0f}%, matrix "
      "products {:.0f}%, memory {:.0f}%, starts of kernels {:.0f}%, launches {:.0f}%\n",
      report.gflop_per_image(), report.seconds_per_kimg(), report.ranks, report.device.name,
      100 * time.convolutions / time.total(), 100 * time.matrix_products / time.total(),
      100 * time.memory / time.total(), 100 * time.kernels / time.total(),
      100 * time.launches / time.total());
  const auto highest = std::ranges::max_element(report.phases, {}, &CountRow::peak_bytes);
  return table + fmt::format("{:.2f} GB of tensors live at a time, in {}; images of {}\n",
                             highest->peak_bytes / kGiga, highest->name,
                             text_of(report.resolution));
}

std::string to_operators_table(const CountReport& report) {
  std::vector<std::pair<std::string, cost::Work>> operators(report.step.operators.begin(),
                                                            report.step.operators.end());
  std::ranges::stable_sort(operators, std::ranges::greater(),
                           [](const auto& entry) { return entry.second.launches; });
  std::string table = "operator                                  launches     GFLOP        GB\n";
  for (const auto& [name, work] : operators) {
    table += fmt::format("{:<40} {:9.1f} {:9.1f} {:9.2f}\n", name, work.launches,
                         work.flops() / kGiga, work.memory_bytes / kGiga);
  }
  return table;
}

Json to_json(const CountReport& report) {
  Json phases;
  for (const CountRow& row : report.phases) phases[row.name] = json_of(row);
  return {{"device", std::string(report.device.name)},
          {"resolution", {report.resolution.height, report.resolution.width}},
          {"ranks", report.ranks},
          {"batch", report.batch},
          {"gflop_per_image", report.gflop_per_image()},
          {"seconds_per_kimg", report.seconds_per_kimg()},
          {"step", json_of(report.step)},
          {"phases", phases}};
}

}  // namespace ganscale::training
