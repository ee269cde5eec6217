#include "tests/driver/xrt/test_card.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "driver/device_registry.h"
#include "sim/card/card_settings.h"

namespace vta::driver::test {
namespace {

/// Tests count launches, so none comes before theirs.
const char* noSelfTestUnless(const std::string& options) {
  return options.find("self-test") == std::string::npos ? ",self-test=never" : "";
}

}  // namespace

sim::CardContainer defaultContainer() {
  sim::CardContainer container;
  container.hw_yaml = HwConfig::makeDefault().toYaml();
  return container;
}

TestCard::TestCard(const std::string& settings, const sim::CardContainer& container)
    : folder_(*TemporaryFolder::create("vta-card-test")),
      container_(folder_.path() / "vta.xclbin") {
  const Status status = sim::writeCardContainer(container_, container);
  if (!status.ok()) throw std::runtime_error(status.message());
  setenv(sim::kCardVariable, settings.c_str(), 1);
}

TestCard::~TestCard() { unsetenv(sim::kCardVariable); }

std::string TestCard::spec(const std::string& more, int card) const {
  return fmt::format("xrt:{},xclbin={}{}{}", card, container_.string(), more,
                     noSelfTestUnless(more));
}

Result<std::unique_ptr<Device>> TestCard::open(const std::string& more, const HwConfig& hw) const {
  return createDevice(spec(more), hw);
}

}  // namespace vta::driver::test
