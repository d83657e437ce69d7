#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ganscale::command_line {

/// An option or argument of a verb.
struct DescribedOption {
  std::vector<std::string> names;  ///< {"-h", "--help"}; none for an argument
  std::string description;         ///< one line
  bool takes_value = false;
  bool takes_path = false;           ///< its value is a file or folder
  std::vector<std::string> choices;  ///< all values, if they are few
};

/// A verb, or the program itself, as its help describes it.
struct DescribedVerb {
  std::string path;         ///< "data convert"; empty for the program
  std::string description;  ///< one line
  std::vector<DescribedOption> options;
  std::vector<DescribedVerb> verbs;

  /// The last word of `path`.
  std::string name() const;
};

/// Returns what a program's help says about its verbs and options.
DescribedVerb describe(const CLI::App& app);

/// Has a verb of the program be followed by others of it, which it starts: `launch train` takes the
/// options of `train`.
void add_started_verbs(DescribedVerb& program, const std::string& starter,
                       const std::vector<std::string>& verbs);

/// Returns a verb and all below it, the outer ones first.
std::vector<const DescribedVerb*> all_verbs(const DescribedVerb& verb);

}  // namespace ganscale::command_line
