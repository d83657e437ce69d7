#include "report/page/data_uri.h"

#include <openssl/evp.h>

namespace ganscale::report {

std::string data_uri(std::string_view media_type, std::string_view bytes) {
  // EVP_EncodeBlock writes four characters for every three bytes or part of them, and a final NUL.
  std::string base64((bytes.size() + 2) / 3 * 4 + 1, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  base64.pop_back();
  return "data:" + std::string(media_type) + ";base64," + base64;
}

}  // namespace ganscale::report
