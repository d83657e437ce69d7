#include "report/page/html_text.h"

#include <openssl/evp.h>

namespace ganscale::report {

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string data_uri(std::string_view media_type, std::string_view bytes) {
  // EVP_EncodeBlock writes four characters for every three bytes or part of them, and a final NUL.
  std::string base64((bytes.size() + 2) / 3 * 4 + 1, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  base64.pop_back();
  return "data:" + std::string(media_type) + ";base64," + base64;
}

std::string element(std::string_view tag, std::string_view class_name, std::string_view content) {
  std::string text = "<" + std::string(tag);
  if (!class_name.empty()) text += " class=\"" + escape_html(class_name) + "\"";
  text += ">";
  text += content;
  return text + "</" + std::string(tag) + ">";
}

}  // namespace ganscale::report
