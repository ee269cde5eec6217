// The JSON schema of hardware configurations, for editors that complete and check YAML files.
#pragma once

#include <string>

namespace vta {

/// A JSON Schema (draft 7) with every key of a configuration file: type, legal values, default and
/// meaning. It knows what is legal key by key; HwConfig::create also knows what is legal together.
/// The text is that of configs/hw.schema.json.
std::string hwConfigSchema();

}  // namespace vta
