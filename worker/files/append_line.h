#pragma once

#include <filesystem>
#include <string_view>

namespace ganscale::files {

/// Appends a line, without its newline, to a file of lines; creates the file and its missing parent
/// folders. What a killed process left of a line is cut off. Throws DataError.
void append_line(const std::filesystem::path& path, std::string_view line);

}  // namespace ganscale::files
