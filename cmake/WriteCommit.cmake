# Writes COMMIT_FILE, a C++ source with the commit of SOURCE_DIR, and leaves it alone if nothing changed:
#   cmake -D SOURCE_DIR=... -D COMMIT_FILE=... -P WriteCommit.cmake
# Without a repository, as in an archive of the sources, the commit is empty.
cmake_minimum_required(VERSION 3.25)

set(commit "")
if(EXISTS "${SOURCE_DIR}/.git")
  execute_process(
    COMMAND git --no-optional-locks describe --always --abbrev=12 --exclude=* --dirty=+changes
    WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE found
    RESULT_VARIABLE result
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(result EQUAL 0)
    set(commit "${found}")
  endif()
endif()
file(CONFIGURE OUTPUT "${COMMIT_FILE}"
     CONTENT "#include \"tools/common/commit.h\"

namespace vta::tools {

std::string_view sdkCommit() { return \"@commit@\"; }

}  // namespace vta::tools
" @ONLY)
