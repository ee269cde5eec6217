// What web/src/engine/cli.ts does, on the host: requests from standard input, answers to standard
// output.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files.h"
#include "web/estimate/requests.h"

namespace {

std::string answerLine(const std::string& line) {
  const auto request = nlohmann::json::parse(line);
  if (request.at("ask") != "network") return vta::web::answer(line);
  const auto outline = vta::readTextFile(request.at("file").get<std::string>());
  return outline.ok() ? vta::web::useNetwork(*outline) : outline.status().message();
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) std::cout << answerLine(line) << "\n";
}
