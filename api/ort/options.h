// What a user says to the execution provider.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/include/vta/vta.hpp"

namespace vta::ort {

/// The entries of a session's configuration, by their keys.
using Entries = std::map<std::string, std::string, std::less<>>;

/// How ONNX Runtime writes models with compiled graphs in them.
struct ContextOptions {
  bool is_enabled = false;
  bool embeds = false;  ///< modules are in the model; else each is a file beside it
  std::string file;     ///< of the model; empty: named after the original one
  std::string prefix;   ///< of the names of the nodes
};

struct Options {
  std::vector<std::string> arguments;    ///< of vta-compile
  bool has_partition = false;            ///< one of them is --partition
  std::vector<std::string> calibration;  ///< further ones, for graphs that read the model's inputs
  std::string device = "functional";
  api::SessionOptions session;
  ContextOptions context;
};

/// Reads the entries that begin with "ep.vtaexecutionprovider.", and those of ONNX Runtime about
/// compiled graphs. Throws api::Error for an option that does not exist or has no such value.
Options readOptions(const Entries& entries);

}  // namespace vta::ort
