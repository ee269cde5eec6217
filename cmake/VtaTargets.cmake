# Helpers that give every target of the project the same flags.

# Interface target with the warnings and sanitizers that all of our own code is built with.
add_library(vta_flags INTERFACE)
target_compile_options(vta_flags INTERFACE -Wall -Wextra -Werror)
target_include_directories(vta_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
if(VTA_SANITIZE)
  # No vptr check: LLVM and what derives from its classes is compiled without run-time types. No error
  # for what may be uninitialised: GCC cannot tell behind a sanitizer's checks, and finds it everywhere.
  target_compile_options(
    vta_flags
    INTERFACE -fsanitize=${VTA_SANITIZE} -fno-sanitize=vptr -fno-omit-frame-pointer
              -fno-sanitize-recover=all -Wno-maybe-uninitialized)
  target_link_options(vta_flags INTERFACE -fsanitize=${VTA_SANITIZE})
endif()

if(VTA_FUZZ)
  # Clang sees unused things that GCC does not, and its headers differ from those that tests are for.
  target_compile_options(vta_flags INTERFACE -fsanitize=fuzzer-no-link -Wno-error)
endif()

# vta_add_library(NAME SOURCES ... [DEPS ...]): a static library of ours. With VTA_UNITY its sources are compiled
# together, many at a time: most of the time of one alone goes into headers, which they share. Programs still take
# from a library what they use only: each function is a section of its own, and the linker leaves out the others.
function(vta_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${VTA_UNITY} UNITY_BUILD_BATCH_SIZE 16)
  target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections)
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE $<BUILD_INTERFACE:vta_flags>)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>)
endfunction()

# vta_add_tool(NAME SOURCES ... DEPS ... [INSTALL | INSTALL_ONLY]): a program in build/bin. With INSTALL packages have it, with
# the manual page and the shells' completion that it prints about itself; INSTALL_ONLY: without, as other programs start it.
function(vta_add_tool name)
  cmake_parse_arguments(ARG "INSTALL;INSTALL_ONLY" "" "SOURCES;DEPS" ${ARGN})
  if(ARG_INSTALL OR ARG_INSTALL_ONLY)
    set_property(GLOBAL APPEND PROPERTY VTA_INSTALLED_TOOLS ${name})
  endif()
  if(ARG_INSTALL)
    set_property(GLOBAL APPEND PROPERTY VTA_DOCUMENTED_TOOLS ${name})
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} vta_flags)
endfunction()

# vta_add_benchmark(NAME SOURCES ... DEPS ...): a Google Benchmark program, bench_* by convention.
function(vta_add_benchmark name)
  if(NOT VTA_BUILD_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} benchmark::benchmark vta_flags)
  target_compile_definitions(${name} PRIVATE VTA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction()
