#include <sstream>

#include "base/joined.h"
#include "command_line/completion.h"

namespace ganscale::command_line {
namespace {

/// Returns "'data convert'|'data inspect'": each verb below `verbs`, for a `case`.
std::string known_verbs(const DescribedVerb& verbs) {
  std::string patterns;
  for (const DescribedVerb* verb : all_verbs(verbs)) {
    if (verb->path.empty()) continue;
    const bool nested = verb->path.find(' ') != std::string::npos;
    patterns += (patterns.empty() ? "" : "|") + single_quoted((nested ? "" : " ") + verb->path);
  }
  return patterns;
}

/// Writes what follows an option that takes a value: its choices, files (readline's default), nothing.
void write_values(std::ostream& out, const DescribedVerb& verb) {
  for (const auto& option : verb.options) {
    if (!option.takes_value || option.names.empty()) continue;
    std::string patterns;
    for (const auto& name : option.names) {
      patterns += (patterns.empty() ? "" : "|") + single_quoted(verb.path + " " + name);
    }
    out << "    " << patterns << ") ";
    if (!option.choices.empty()) {
      out << "words=" << single_quoted(joined(option.choices, " "));
    } else {
      out << (option.takes_path ? "return" : "compopt +o default 2>/dev/null; return");
    }
    out << " ;;\n";
  }
}

/// Returns the words that may stand where no value is asked for.
std::string words_of(const DescribedVerb& verb) {
  std::vector<std::string> words;
  for (const auto& each : verb.verbs) words.push_back(each.name());
  for (const auto& option : verb.options) {
    const auto& more = option.names.empty() ? option.choices : option.names;
    words.insert(words.end(), more.begin(), more.end());
  }
  return joined(words, " ");
}

}  // namespace

std::string bash_completion(const std::string& program, const DescribedVerb& verbs) {
  const std::string function = function_name(program);
  std::ostringstream out;
  out << "# bash completion of " << program << ", written by `" << program << " completion bash`.\n"
      << function << "() {\n"
      << "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb='' "
         "words='' each\n"
      << "  for each in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      << "    case \"$verb $each\" in\n"
      << "    " << known_verbs(verbs) << ") verb=${verb:+$verb }$each ;;\n"
      << "    esac\n"
      << "  done\n"
      << "  case \"$verb $before\" in\n";
  for (const DescribedVerb* verb : all_verbs(verbs)) write_values(out, *verb);
  out << "  esac\n"
      << "  [ -n \"$words\" ] || case \"$verb\" in\n";
  for (const DescribedVerb* verb : all_verbs(verbs)) {
    out << "    " << single_quoted(verb->path) << ") words=" << single_quoted(words_of(*verb))
        << " ;;\n";
  }
  out << "  esac\n"
      << "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
      << "}\n"
      << "complete -o default -F " << function << " " << program << "\n";
  return out.str();
}

}  // namespace ganscale::command_line
