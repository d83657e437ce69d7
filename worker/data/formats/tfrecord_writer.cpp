#include "data/formats/tfrecord_writer.h"

#include <cerrno>
#include <string>
#include <system_error>

#include "base/error.h"
#include "data/formats/tfrecord_framing.h"

namespace ganscale::data {
namespace {

template <class Bytes>
void write(std::ofstream& out, const Bytes& bytes) {
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TfrecordWriter::TfrecordWriter(const std::filesystem::path& file)
    : file_(file), out_(file, std::ios::binary | std::ios::trunc) {
  require_success();
}

void TfrecordWriter::append(std::span<const std::uint8_t> data) {
  write(out_, frame_header(data.size()));
  write(out_, data);
  write(out_, frame_footer(data));
  require_success();
  offsets_.push_back(offsets_.back() + kFrameHeaderBytes + static_cast<std::int64_t>(data.size()) +
                     kFrameFooterBytes);
}

void TfrecordWriter::flush() {
  out_.flush();
  require_success();
}

void TfrecordWriter::close() {
  flush();  // tells the reason, which close() may overwrite
  out_.close();
  require_success();
}

void TfrecordWriter::require_success() {
  if (out_) return;
  const int reason = errno;
  throw DataError("cannot write the file: " + file_.string() + ", offset " +
                  std::to_string(offsets_.back()) + ": " + std::generic_category().message(reason));
}

}  // namespace ganscale::data
