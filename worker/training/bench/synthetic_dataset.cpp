#include "training/bench/synthetic_dataset.h"

#include <random>

namespace ganscale::training {
namespace {

/// More than a batch of any size has.
constexpr std::int64_t kRecords = 1 << 20;

class SyntheticSource : public data::Source {
 public:
  explicit SyntheticSource(const models::ModelConfig& model) : model_(model) {
    const auto pixels = static_cast<std::size_t>(model.channels * model.resolution.pixels());
    // A record is the bytes from an offset of its own.
    bytes_.resize(2 * pixels);
    std::mt19937_64 random(1);
    std::uniform_int_distribution<int> byte(0, 255);
    for (auto& each : bytes_) each = static_cast<std::uint8_t>(byte(random));
  }

  std::int64_t record_count() const override { return kRecords; }
  std::int64_t label_count() const override { return model_.label_count; }
  std::int64_t label(std::int64_t index) const override {
    return model_.label_count == 0 ? -1 : index % model_.label_count;
  }
  std::string describe(std::int64_t index) const override {
    return "synthetic, record " + std::to_string(index);
  }

  void read(std::int64_t index, data::Record& record) const override {
    const std::size_t count = bytes_.size() / 2;
    record.bytes = std::span(bytes_).subspan(static_cast<std::size_t>(index) % count, count);
    record.encoding = data::Encoding::kRawChw;
    record.channels = model_.channels;
    record.height = model_.resolution.height;
    record.width = model_.resolution.width;
    record.label = label(index);
  }

 private:
  models::ModelConfig model_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

Dataset synthetic_dataset(const models::ModelConfig& model) {
  return {.source = std::make_unique<SyntheticSource>(model),
          .policy = {.channels = model.channels, .resolution = model.resolution},
          .facts = {.model = model.name,
                    .record_count = kRecords,
                    .label_count = model.label_count,
                    .channels = model.channels,
                    .label_probabilities = std::vector<double>(
                        static_cast<std::size_t>(model.label_count), 1.0 / model.label_count)}};
}

}  // namespace ganscale::training
