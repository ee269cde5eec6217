// Devices of other machines, in builds that have none.
#pragma once

#include <string>

namespace vta::tools {

/// What a tool says to `device` ("tcp://host:port").
inline std::string noRemoteDevices(const std::string& device) {
  return "--device=" + device +
         ": this build has no remote devices; build where libgrpc++-dev, protobuf-compiler-grpc "
         "and "
         "prometheus-cpp-dev are installed";
}

}  // namespace vta::tools
