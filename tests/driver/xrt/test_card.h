// A virtual card with a container, and the xrt device on it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/temporary_folder.h"
#include "driver/device.h"
#include "sim/card/card_container.h"

namespace vta::driver::test {

/// The container of a card with the default configuration.
sim::CardContainer defaultContainer();

class TestCard {
 public:
  /// `settings` as in VTA_VIRTUAL_CARD: "core=rtl".
  explicit TestCard(const std::string& settings = "",
                    const sim::CardContainer& container = defaultContainer());
  ~TestCard();
  TestCard(const TestCard&) = delete;
  TestCard& operator=(const TestCard&) = delete;

  const std::filesystem::path& container() const { return container_; }

  /// "xrt:0,xclbin=...", with more options behind it: ",ip=vta_top_2".
  std::string spec(const std::string& more = "", int card = 0) const;

  Result<std::unique_ptr<Device>> open(const std::string& more = "",
                                       const HwConfig& hw = HwConfig::makeDefault()) const;

 private:
  TemporaryFolder folder_;
  std::filesystem::path container_;
};

}  // namespace vta::driver::test
