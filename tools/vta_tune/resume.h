// --resume: what of an interrupted run comes from its database, and what its user has to say again.
//
// A database may be a stranger's. Whatever names a file, a folder, a device or a program is the
// command line's, so that a database can make nothing run and no file be written.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "tools/vta_tune/options.h"

namespace vta::tools {

/// Options by their names, with their values: what a parser was given. A flag has no value.
using GivenOptions = std::map<std::string, std::vector<std::string>>;
GivenOptions givenOptions(const CLI::App& app);

/// The command that goes on with a run of these options: all but those of the search, for a shell.
std::string resumeCommand(const GivenOptions& given);

/// What does not go with --resume; empty: nothing.
std::string checkResume(const GivenOptions& given);

/// Sets the options of the search, and which run it is, by the database. Errors: it has no
/// interrupted run, or one that was begun with other options than `given`; the message has the
/// command that goes on with it.
Status resumeRun(const GivenOptions& given, TuneToolOptions& options);

}  // namespace vta::tools
