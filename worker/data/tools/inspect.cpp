#include "data/tools/inspect.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "data/image/codecs.h"
#include "data/image/decode.h"
#include "data/storage/storage.h"
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

/// Returns why a record cannot be used; empty if it can.
std::string damage_of(const Source& source, std::int64_t index, Record& record) {
  try {
    source.read(index, record);
  } catch (const TransientReadError&) {
    throw;  // the storage failed: the record may be as good as any
  } catch (const DataError& error) {
    return error.what();
  }
  try {
    decode(record);
  } catch (const DataError& error) {
    return std::string(error.what()) + ": " + source.describe(index);
  }
  return "";
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
  for (std::int64_t i = 0; i < result.sampled; ++i) {
    try {
      source.read(i * result.record_count / result.sampled, record);
      result.sampled_bytes += static_cast<std::int64_t>(record.bytes.size());
      ++result.kinds[kind_of(record)];
    } catch (const TransientReadError&) {
      throw;
    } catch (const DataError&) {
      ++result.kinds["damaged"];  // verify() lists them
    }
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
    try {
      source.read(i * source.record_count() / count, record);
      const auto row = static_cast<int>(i / columns);
      const auto column = static_cast<int>(i % columns);
      paste(apply_policy(decode(record), policy), row * cell_side, column * cell_side, sheet);
    } catch (const TransientReadError&) {
      throw;
    } catch (const DataError&) {
      continue;  // its cell stays gray
    }
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
      damage[i] = damage_of(source, first + i, records[thread]);
    });
    std::ranges::copy_if(damage, std::back_inserter(damaged),
                         [](const std::string& text) { return !text.empty(); });
    on_progress(first + here, count);
  }
  return damaged;
}

}  // namespace ganscale::data
