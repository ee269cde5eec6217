// What the page calls: texts go in and out through a buffer each.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "web/estimate/requests.h"
#include "web/wasm/imports.h"

namespace {

std::string& input() {
  static std::string text;
  return text;
}

std::string& output() {
  static std::string text;
  return text;
}

std::string& yamlAnswer() {
  static std::string text;
  return text;
}

}  // namespace

extern "C" {

/// Implemented by the page: parses the YAML and writes its answer where vta_yaml_answer says.
__attribute__((import_module("page"), import_name("parse_yaml"))) void vta_parse_yaml(
    const char* text, size_t bytes);

/// Room for the page's answer to vta_parse_yaml.
__attribute__((export_name("vta_yaml_answer"))) char* vta_yaml_answer(size_t bytes) {
  yamlAnswer().resize(bytes);
  return yamlAnswer().data();
}

/// Room for the next request.
__attribute__((export_name("vta_input"))) char* vta_input(size_t bytes) {
  input().resize(bytes);
  return input().data();
}

/// Takes the input as the outline of a network; the output is {} or {"error": ...}.
__attribute__((export_name("vta_use_network"))) void vta_use_network() {
  output() = vta::web::useNetwork(input());
}

/// Answers the request in the input.
__attribute__((export_name("vta_answer"))) void vta_answer() {
  output() = vta::web::answer(input());
}

__attribute__((export_name("vta_output"))) const char* vta_output() { return output().data(); }
__attribute__((export_name("vta_output_bytes"))) size_t vta_output_bytes() {
  return output().size();
}
}

namespace vta::web {

std::string parseYaml(std::string_view text) {
  vta_parse_yaml(text.data(), text.size());
  return yamlAnswer();
}

}  // namespace vta::web
