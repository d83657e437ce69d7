#include "scaling_sweep/decide/record.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "object/lookup.h"

namespace ganscale::controller::scaling_sweep {
namespace {

std::vector<std::string> words(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list) {
    if (item.is_string()) texts.push_back(item);
  }
  return texts;
}

/// Returns numbers, which are in order, as ranges: 0-3,7.
std::string ranges_of(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t first = numbers[i];
    while (i + 1 < numbers.size() && numbers[i + 1] == numbers[i] + 1) ++i;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (numbers[i] > first) text += "-" + std::to_string(numbers[i]);
  }
  return text;
}

/// Returns the names that ranges count in a table. What does not come after the ranges before it, or
/// is beyond the end of the table, is left out: no status names a node twice.
std::vector<std::string> names_at(const std::string& ranges,
                                  const std::vector<std::string>& table) {
  std::vector<std::string> names;
  std::size_t next = 0;
  std::istringstream parts(ranges);
  for (std::string part; std::getline(parts, part, ',');) {
    std::size_t first = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), first);
    if (read.ec != std::errc()) continue;
    std::size_t last = first;
    if (*read.ptr == '-') std::from_chars(read.ptr + 1, part.data() + part.size(), last);
    next = std::max(next, first);
    for (; next <= last && next < table.size(); ++next) names.push_back(table[next]);
  }
  return names;
}

/// Returns the names of all nodes of results, in order.
std::vector<std::string> node_table(const std::vector<Result>& results) {
  std::set<std::string> names;
  for (const Result& result : results) names.insert(result.nodes.begin(), result.nodes.end());
  return {names.begin(), names.end()};
}

std::string ranges_in(const std::vector<std::string>& table,
                      const std::vector<std::string>& names) {
  std::vector<std::size_t> numbers;
  for (const std::string& name : names) {
    numbers.push_back(
        static_cast<std::size_t>(std::ranges::lower_bound(table, name) - table.begin()));
  }
  return ranges_of(numbers);
}

Result read_result(const Json& json, const std::vector<std::string>& nodes) {
  Result result;
  result.run = text_at(json, "/run");
  result.hash = text_at(json, "/specHash");
  if (json.is_object() && json.contains("measured")) {
    result.measured = read_measured(json["measured"]);
  }
  result.message = text_at(json, "/message");
  result.nodes = names_at(text_at(json, "/nodes"), nodes);
  result.image_id = text_at(json, "/imageID");
  result.restarts = static_cast<int>(whole_at(json, "/restarts"));
  return result;
}

Json to_json(const Result& result, const std::vector<std::string>& nodes) {
  Json json = {{"run", result.run}, {"specHash", result.hash}, {"restarts", result.restarts}};
  if (result.measured) json["measured"] = to_json(*result.measured);
  if (!result.message.empty()) json["message"] = result.message;
  if (!result.nodes.empty()) json["nodes"] = ranges_in(nodes, result.nodes);
  if (!result.image_id.empty()) json["imageID"] = result.image_id;
  return json;
}

}  // namespace

const Result* find_result(const Record& record, const std::string& run, const std::string& hash) {
  const auto found = std::ranges::find_if(record.results, [&](const Result& result) {
    return result.run == run && result.hash == hash;
  });
  return found == record.results.end() ? nullptr : &*found;
}

Record read_record(const Json& status) {
  Record record;
  if (!status.is_object()) return record;
  read_phase(status, record);
  record.current = text_at(status, "/current");
  const auto nodes = words(list_at(status, "/nodeNames"));
  for (const Json& item : list_at(status, "/runs")) {
    record.results.push_back(read_result(item, nodes));
  }
  return record;
}

void write_results(const std::vector<Result>& results, Json& status) {
  const auto nodes = node_table(results);
  status["nodeNames"] = nodes;
  status["runs"] = Json::array();
  for (const Result& result : results) status["runs"].push_back(to_json(result, nodes));
}

void write_record(const Record& record, Json& status) {
  write_phase(record, status);
  status["current"] = record.current;
  write_results(record.results, status);
}

}  // namespace ganscale::controller::scaling_sweep
