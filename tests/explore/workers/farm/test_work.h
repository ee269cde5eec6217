// Work for tests: items say what is to happen to the worker.
#pragma once

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "explore/workers/worker/worker.h"

namespace vta::launcher::testing {

/// Doubles "value". With "die" it kills its process; with "die_once" only where that file does not
/// exist, which it makes; with "sleep_ms" it takes so long; with "freeze" it stops without ending.
class TestWork final : public Work {
 public:
  Result<Json> setUp(const Json& setup) override {
    if (setup.contains("refuse")) return unsupported(setup["refuse"]);
    if (setup.contains("exit")) std::_Exit(setup["exit"]);
    factor_ = setup.value("factor", 2);
    return Json{{"kind", "doubler"}};
  }

  Result<std::vector<Json>> process(const Json& context, const std::vector<Json>& items) override {
    std::vector<Json> results;
    for (const Json& item : items) {
      if (item.contains("note"))
        std::ofstream(item["note"].get<std::string>(), std::ios::app) << "x";
      if (item.contains("die")) kill(getpid(), SIGKILL);
      if (item.contains("freeze")) kill(getpid(), SIGSTOP);
      if (item.contains("die_once") && !std::filesystem::exists(item["die_once"])) {
        std::ofstream(item["die_once"].get<std::string>()) << "x";
        kill(getpid(), SIGKILL);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(item.value("sleep_ms", 0)));
      results.push_back(
          {{"value", factor_ * item.at("value").get<int>() + context.at("plus").get<int>()},
           {"items", items.size()}});
    }
    return results;
  }

 private:
  int factor_ = 2;
};

}  // namespace vta::launcher::testing
