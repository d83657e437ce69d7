#pragma once

#include <functional>
#include <string>
#include <vector>

#include "object/json.h"
#include "verbs/rendered_kinds.h"
#include "verbs/sources.h"

namespace ganscale::controller {

/// Options of the verbs that read a file of GanTrainings and ScalingSweeps.
struct DocumentOptions {
  std::string file;
  std::string config_from;
  std::string operator_namespace = "ganscale-system";
  SourceOptions sources;
};

/// Adds --file, --config-from, and the options of sources.
void add_document_options(CLI::App& verb, DocumentOptions& options);

/// Returns what messages call a file: `-` is standard input.
std::string name_of(const std::string& file);

/// Reads every document of a file of YAML or JSON (`-`: standard input). Throws ConfigError, with
/// the file.
std::vector<Json> read_documents(const std::string& file);

/// Calls `use` with each document of the file (`-`: standard input) and its kind. Objects of other
/// APIs are skipped, with a note. Throws ConfigError, with the file.
void for_each_document(
    const DocumentOptions& options,
    const std::function<void(const RenderedKind&, const Json&, const RenderContext&)>& use);

}  // namespace ganscale::controller
