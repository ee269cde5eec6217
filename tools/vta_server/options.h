// The command line of vta-server.
#pragma once

#include <string>
#include <vector>

#include "driver/remote/server/remote_server.h"

namespace vta::tools {

inline constexpr const char* kServerTool = "vta-server";

/// A device to serve.
struct ServedDevice {
  std::string name;  // as clients choose it
  std::string spec;  // for createDevice
  std::string hw_file;
  bool is_programmable = false;  // clients may program its FPGA
};

struct ServerToolOptions {
  remote::ServerOptions server;
  std::vector<ServedDevice> devices;
};

/// False when the program is to end at once with `exit_code`.
bool parseServerOptions(int argc, char** argv, ServerToolOptions& options, int& exit_code);

}  // namespace vta::tools
