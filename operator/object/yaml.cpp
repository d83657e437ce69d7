#include "object/yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/error.h"
#include "config/units.h"
#include "config/yaml_progress.h"

namespace ganscale::controller {
namespace {

Json plain_scalar(const std::string& text) {
  constexpr std::array kNulls{"", "~", "null", "Null", "NULL"};
  if (std::ranges::find(kNulls, text) != kNulls.end()) return nullptr;
  if (const auto flag = config::parse_bool(text)) return *flag;
  if (const auto whole = config::parse_integer(text)) return *whole;
  if (const auto number = config::parse_number(text)) return *number;
  return text;
}

/// Converts the nodes of a text to JSON. Aliases are written out: a few lines could become any
/// number of values, and a list that contains itself would never end.
class Conversion {
 public:
  Json to_json(const YAML::Node& node, int depth = 0) {
    if (depth > kDeepest) throw YAML::ParserException(node.Mark(), "nested too deeply");
    if (++values_ > kMostValues) throw YAML::ParserException(node.Mark(), "too many values");
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        // yaml-cpp tags a quoted scalar "!" and a plain one "?".
        return node.Tag() == "!" ? Json(node.Scalar()) : plain_scalar(node.Scalar());
      case YAML::NodeType::Sequence: {
        Json list = Json::array();
        for (const auto& item : node) list.push_back(to_json(item, depth + 1));
        return list;
      }
      case YAML::NodeType::Map: {
        Json map = Json::object();
        for (const auto& item : node) map[item.first.Scalar()] = to_json(item.second, depth + 1);
        return map;
      }
      default: return nullptr;
    }
  }

 private:
  /// More than an object that etcd takes (1.5 MiB) can have without aliases.
  static constexpr int kMostValues = 1 << 20;
  static constexpr int kDeepest = 500;  ///< as yaml-cpp's parser

  int values_ = 0;
};

void emit(YAML::Emitter& out, const Json& value);

/// Whether kubectl takes an unquoted text for a number: it also knows 0x1F, 0o17, 0b1 and 1_000.
bool is_number_elsewhere(const std::string& text) {
  static const std::regex kNumber(
      "[-+]?(0[xXoObB][0-9a-fA-F_]+|\\.?[0-9][0-9_]*(\\.[0-9_]*)?([eE][-+]?[0-9]+)?)");
  return std::regex_match(text, kNumber);
}

void emit_line(YAML::Emitter& out, const std::string& text) {
  const bool stays_text = plain_scalar(text).is_string() && !config::is_boolean_elsewhere(text) &&
                          !is_number_elsewhere(text);
  if (stays_text) {
    out << text;
  } else {
    out << YAML::DoubleQuoted << text;
  }
}

void emit_text(YAML::Emitter& out, const std::string& text) {
  if (text.find('\n') != std::string::npos) {
    out << YAML::Literal << text;
  } else {
    emit_line(out, text);
  }
}

void emit_map(YAML::Emitter& out, const Json& value) {
  out << YAML::BeginMap;
  for (const auto& [key, item] : value.items()) {
    out << YAML::Key;
    emit_line(out, key);
    out << YAML::Value;
    emit(out, item);
  }
  out << YAML::EndMap;
}

void emit_list(YAML::Emitter& out, const Json& value) {
  out << YAML::BeginSeq;
  for (const auto& item : value) emit(out, item);
  out << YAML::EndSeq;
}

void emit(YAML::Emitter& out, const Json& value) {
  if (value.is_object()) {
    emit_map(out, value);
  } else if (value.is_array()) {
    emit_list(out, value);
  } else if (value.is_null()) {
    out << YAML::Null;
  } else if (value.is_string()) {
    emit_text(out, value.get_ref<const std::string&>());
  } else {
    out << value.dump();
  }
}

}  // namespace

std::vector<Json> read_yaml(const std::string& text, const std::string& origin) {
  try {
    config::require_progress(text);
    std::vector<Json> documents;
    Conversion conversion;
    for (const auto& node : YAML::LoadAll(text)) {
      if (!node.IsNull()) documents.push_back(conversion.to_json(node));
    }
    return documents;
  } catch (const YAML::Exception& error) {
    throw ConfigError(origin + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg);
  }
}

std::vector<Json> read_yaml_file(const std::string& path) {
  std::ifstream file(path);
  if (file && file.peek() == std::ifstream::traits_type::eof() && !file.bad()) {
    throw ConfigError("the file is empty: " + path);
  }
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text) throw ConfigError("can't read the file: " + path);
  return read_yaml(text.str(), path);
}

std::string to_yaml(const Json& value) {
  YAML::Emitter out;
  emit(out, value);
  return std::string(out.c_str()) + "\n";
}

}  // namespace ganscale::controller
