#include "driver/board/first_contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace vta::driver {

Result<FirstContact> parseFirstContact(std::string_view device, const DeviceOptions& options) {
  const auto found = options.find(kSelfTestOption);
  if (found == options.end()) return FirstContact::kTestNew;
  const std::pair<std::string_view, FirstContact> words[] = {{"new", FirstContact::kTestNew},
                                                             {"always", FirstContact::kTestAlways},
                                                             {"never", FirstContact::kTestNever}};
  const auto* word =
      std::ranges::find_if(words, [&](const auto& each) { return each.first == found->second; });
  if (word != std::end(words)) return word->second;
  return invalidArgument(fmt::format("device '{}': {}={}; legal: new, always, never", device,
                                     kSelfTestOption, found->second));
}

}  // namespace vta::driver
