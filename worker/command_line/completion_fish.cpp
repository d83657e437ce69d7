#include <sstream>

#include "base/joined.h"
#include "command_line/completion.h"

namespace ganscale::command_line {
namespace {

std::string fish_quoted(const std::string& text) { return "'" + escaped(text, "\\'") + "'"; }

void write_complete(std::ostream& out, const std::string& line, const DescribedOption& option) {
  out << line;
  for (const auto& name : option.names) {
    out << (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
  }
  if (option.takes_value && !option.names.empty()) out << (option.takes_path ? " -r -F" : " -x");
  if (!option.choices.empty()) out << " -a " << fish_quoted(joined(option.choices, " "));
  if (option.names.empty() && option.takes_path) out << " -F";
  out << " -d " << fish_quoted(option.description) << "\n";
}

}  // namespace

std::string fish_completion(const std::string& program, const DescribedVerb& verbs) {
  const std::string at = "_" + function_name(program) + "_at";
  std::ostringstream out;
  out << "# fish completion of " << program << ", written by `" << program << " completion fish`.\n"
      << "# Whether the verbs before the cursor are these.\n"
      << "function " << at << "\n"
      << "  set -l words (commandline -opc)\n"
      << "  set -l verb\n"
      << "  for word in $words[2..-1]\n"
      << "    contains -- (string join -- ' ' $verb $word)";
  for (const DescribedVerb* verb : all_verbs(verbs)) {
    if (!verb->path.empty()) out << " " << fish_quoted(verb->path);
  }
  out << "\n"
      << "    and set -a verb $word\n"
      << "  end\n"
      << "  test \"$verb\" = \"$argv\"\n"
      << "end\n"
      << "complete -c " << program << " -f\n";
  for (const DescribedVerb* verb : all_verbs(verbs)) {
    const std::string line = "complete -c " + program + " -n " +
                             fish_quoted(verb->path.empty() ? at : at + " " + verb->path);
    for (const auto& each : verb->verbs) {
      out << line << " -a " << each.name() << " -d " << fish_quoted(each.description) << "\n";
    }
    for (const auto& option : verb->options) write_complete(out, line, option);
  }
  return out.str();
}

}  // namespace ganscale::command_line
