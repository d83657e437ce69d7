#include "data/tools/damage.h"

#include "base/error.h"
#include "data/storage/storage.h"

namespace ganscale::data {

std::string damage_of(const Source& source, std::int64_t index, Record& record,
                      const std::function<void()>& use) {
  try {
    source.read(index, record);
  } catch (const StorageError&) {
    throw;
  } catch (const DataError& error) {
    return error.what();
  }
  try {
    use();
  } catch (const DataError& error) {
    return std::string(error.what()) + ": " + source.describe(index);
  }
  return "";
}

}  // namespace ganscale::data
