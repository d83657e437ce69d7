#include "data/tools/inspect.h"

#include <algorithm>
#include <cstring>

#include "data/image/codecs.h"
#include "data/image/decode.h"
#include "data/sources/subset_source.h"
#include "data/tools/damage.h"
#include "data/tools/parallel_for.h"

namespace ganscale::data {
namespace {

std::string kind_of(const Record& record) {
  const Image shape = image_shape(record);
  const bool is_file = record.encoding == Encoding::kFile;
  return std::string(is_file ? codec_of(record.bytes).name : "raw") + " " +
         std::to_string(shape.channels) + "x" + std::to_string(shape.height) + "x" +
         std::to_string(shape.width);
}

void paste(const Image& cell, int top, int left, Image& sheet) {
  const std::size_t row_bytes = static_cast<std::size_t>(cell.width) * 3;
  for (int y = 0; y < cell.height; ++y) {
    const std::size_t to = (static_cast<std::size_t>(top + y) * sheet.width + left) * 3;
    std::memcpy(sheet.hwc.data() + to, cell.hwc.data() + y * row_bytes, row_bytes);
  }
}

}  // namespace

Inspection inspect(const Source& source, std::int64_t most_sampled) {
  Inspection result;
  result.record_count = source.record_count();
  result.label_names = source.label_names();
  result.records_of_label.resize(source.label_count());
  for (std::int64_t i = 0; i < result.record_count; ++i) {
    const std::int64_t label = source.label(i);
    if (label >= 0) ++result.records_of_label.at(label);
  }
  result.sampled = std::min(most_sampled, result.record_count);
  Record record;
  for (const std::int64_t index : evenly_spaced(result.record_count, result.sampled)) {
    const std::string damage = damage_of(source, index, record, [&] {
      result.sampled_bytes += static_cast<std::int64_t>(record.bytes.size());
      ++result.kinds[kind_of(record)];
    });
    if (!damage.empty()) ++result.kinds["damaged"];  // verify() lists them
  }
  return result;
}

Image contact_sheet(const Source& source, int rows, int columns, int cell_side) {
  constexpr std::uint8_t kGray = 128;
  Image sheet{.channels = 3, .height = rows * cell_side, .width = columns * cell_side};
  sheet.hwc.resize(std::size_t(sheet.height) * sheet.width * 3, kGray);
  const DecodePolicy policy{
      .channels = 3, .resolution = cell_side, .fit = Fit::kResize, .convert_colors = true};
  const std::int64_t count = std::min<std::int64_t>(rows * columns, source.record_count());
  Record record;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto row = static_cast<int>(i / columns);
    const auto column = static_cast<int>(i % columns);
    // The cell of a damaged one stays gray.
    damage_of(source, evenly_spaced(i, source.record_count(), count), record, [&] {
      paste(apply_policy(decode(record), policy), row * cell_side, column * cell_side, sheet);
    });
  }
  return sheet;
}

std::vector<std::string> verify(const Source& source, int threads, const OnProgress& on_progress) {
  constexpr std::int64_t kRecordsAReport = 1024;
  const std::int64_t count = source.record_count();
  std::vector<Record> records(threads);
  std::vector<std::string> damaged;
  for (std::int64_t first = 0; first < count; first += kRecordsAReport) {
    const std::int64_t here = std::min(kRecordsAReport, count - first);
    std::vector<std::string> damage(here);
    parallel_for(here, threads, [&](int thread, std::int64_t i) {
      Record& record = records[thread];
      damage[i] = damage_of(source, first + i, record, [&] { decode(record); });
    });
    std::ranges::copy_if(damage, std::back_inserter(damaged),
                         [](const std::string& text) { return !text.empty(); });
    on_progress(first + here, count);
  }
  return damaged;
}

}  // namespace ganscale::data
