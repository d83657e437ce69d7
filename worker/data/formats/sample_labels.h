#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>

/// WebDataset's samples: files of a tar that have the same name up to the first dot, such as
/// 000017.jpg with its label in 000017.cls or 000017.json.
namespace ganscale::data {

inline constexpr char kClassFile[] = ".cls";
inline constexpr char kJsonFile[] = ".json";

/// Returns whether a file may hold the label of the image next to it, by its extension.
bool may_hold_label(std::string_view name);

/// Returns the name of the sample that a file belongs to: its path up to the first dot of its name.
std::string_view sample_name(std::string_view path);

/// Parses a `.cls` file: an integer from 0 on as text. Throws DataError with the reason only.
std::int64_t label_of_class_file(std::span<const std::uint8_t> bytes);

/// Returns the label that a JSON value is; nothing if it is no integer in [0, kMostLabels).
std::optional<std::int64_t> label_of_json(const nlohmann::json& value);

/// Returns the integer "label" of a `.json` file; nothing if there is no such member. Throws
/// DataError with the reason only.
std::optional<std::int64_t> label_of_json_file(std::span<const std::uint8_t> bytes);

}  // namespace ganscale::data
