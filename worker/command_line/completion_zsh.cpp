#include <sstream>

#include "base/joined.h"
#include "command_line/completion.h"

namespace ganscale::command_line {
namespace {

/// Returns ":value:(json text)": what _arguments offers as a value.
std::string value_of(const DescribedOption& option) {
  if (!option.takes_value) return "";
  if (!option.choices.empty()) return ":value:(" + joined(option.choices, " ") + ")";
  return option.takes_path ? ":path:_files" : ":value: ";
}

/// Writes the specifications of an option for _arguments, a line a name; `*`: it may be repeated.
void write_specification(std::ostream& out, const DescribedOption& option) {
  for (const auto& name : option.names) {
    out << "    "
        << single_quoted("*" + name + "[" + escaped(option.description, "[]:\\") + "]" +
                         value_of(option))
        << " \\\n";
  }
  if (option.names.empty()) out << "    " << single_quoted("*" + value_of(option)) << " \\\n";
}

void write_function(std::ostream& out, const std::string& program, const DescribedVerb& verb) {
  const auto function_of = [&](const std::string& path) {
    return function_name(path.empty() ? program : program + " " + path);
  };
  out << function_of(verb.path) << "() {\n"
      << "  local context state line\n"
      << "  local -a verbs=(";
  for (const auto& each : verb.verbs) {
    out << "\n    " << single_quoted(each.name() + ":" + escaped(each.description, ":\\"));
  }
  out << ")\n"
      << "  _arguments -C \\\n";
  for (const auto& option : verb.options) write_specification(out, option);
  if (verb.verbs.empty()) {
    out << "    && return\n}\n";
    return;
  }
  out << "    '1: :->verb' '*:: :->rest' && return\n"
      << "  case $state in\n"
      << "    verb) _describe verb verbs ;;\n"
      << "    rest) case $words[1] in\n";
  for (const auto& each : verb.verbs) {
    out << "      " << each.name() << ") " << function_of(each.path) << " ;;\n";
  }
  out << "    esac ;;\n"
      << "  esac\n"
      << "}\n";
}

}  // namespace

std::string zsh_completion(const std::string& program, const DescribedVerb& verbs) {
  std::ostringstream out;
  out << "#compdef " << program << "\n"
      << "# zsh completion of " << program << ", written by `" << program << " completion zsh`.\n";
  for (const DescribedVerb* verb : all_verbs(verbs)) write_function(out, program, *verb);
  const std::string function = function_name(program);
  // Autoloaded from $fpath the file is the function's body; sourced, it registers the function.
  out << "if [ \"$funcstack[1]\" = " << function << " ]; then " << function
      << " \"$@\"; else compdef " << function << " " << program << "; fi\n";
  return out.str();
}

}  // namespace ganscale::command_line
