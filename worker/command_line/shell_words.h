#pragma once

#include <string>
#include <string_view>

namespace ganscale::command_line {

/// Returns text in single quotes, as bash and zsh read it.
std::string single_quoted(std::string_view text);

/// Returns text with a backslash before each of some characters.
std::string escaped(std::string_view text, std::string_view characters);

/// Returns the name of a shell function: "_ganscale_data_convert" of "ganscale data convert".
std::string function_name(std::string_view command);

}  // namespace ganscale::command_line
