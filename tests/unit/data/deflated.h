#pragma once

#include <zlib.h>

#include <string>

namespace ganscale::data {

/// Deflates a text. window_bits: of deflateInit2(), which choose the header too: MAX_WBITS + 16 for
/// gzip's, -MAX_WBITS for none.
inline std::string deflated(const std::string& text, int window_bits) {
  constexpr int kMemoryLevel = 8;
  z_stream stream = {};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits, kMemoryLevel,
               Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace ganscale::data
