#include "cli/serve/live_page.h"

#include "cli/serve/live_assets.h"
#include "report/page/html_report.h"
#include "report/page/page_assets.h"

namespace ganscale::cli {

std::string live_page(const std::string& run_name) {
  return report::html_page({.title = run_name,
                            .style = std::string(report::kPageStyle) + std::string(kLiveStyle),
                            .body = std::string(kLiveBody),
                            .script = std::string(report::kPageScript) + std::string(kLiveScript)});
}

}  // namespace ganscale::cli
