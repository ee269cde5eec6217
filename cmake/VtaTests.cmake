# Entries of ctest. Each one has two labels that follow from its folder under tests/: its area (the first folder) and its
# kind. Those that take long, or say LONG, have the label "long": scripts/test draws some of them, --all runs all.

# The kinds: folders, as regular expressions, with what their entries are; the first that fits counts. An entry of another
# kind than its folder's says TIER.
set(VTA_TEST_TIERS
    "hw|sim/rtl|sim/validate" hardware
    "driver/conformance|onnx_conformance" conformance
    "random_networks|sim/random" random
    "fuzz" fuzz
    "cross" cross
    "docs|repository|scripts|compiler/dialects" docs
    "tools|api" command
    ".*" unit)

# Seconds that entries took when they all ran by themselves, for those with at least 10: scripts/test --record-costs
# writes the file. An entry that is not in it takes less.
set(costs_file ${PROJECT_SOURCE_DIR}/tests/costs.txt)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${costs_file})
file(STRINGS ${costs_file} lines REGEX "^[^#]")
foreach(line ${lines})
  string(REGEX MATCH "^([^ ]+) ([0-9]+)$" matched "${line}")
  if(NOT matched)
    message(FATAL_ERROR "${costs_file}: \"${line}\" is not NAME SECONDS")
  endif()
  set(VTA_TEST_COST_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()
# Entries that take more have the label "long": what a unit test finds, it finds nearest to its cause.
set(VTA_LONG_TEST_SECONDS 10)
set(VTA_LONG_UNIT_TEST_SECONDS 60)

# What the outcome of proofs, syntheses, timings, mutants and co-simulations follows from.
set(VTA_KEPT_SOURCES base isa module sim hw configs tests/hw tests/sim cmake CMakeLists.txt tools/vta_info.cpp tools/vta_info_rtl.cpp
    tools/vta_info_rtl.h tools/vta_cosim.cpp tools/vta_validate.cpp tools/common)
list(TRANSFORM VTA_KEPT_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
set(VTA_KEPT_TOOLS yosys z3 verilator c++)

# vta_describe_test(NAME [LONG] [TIER tier] [TIMEOUT seconds] [PROCESSORS number]): labels, cost and time limit of an entry
# that the folder being configured has added. The other functions take the same, and KEPT where the outcome follows
# from the folders and tools above alone: it is kept (scripts/testing/kept_result.py).
function(vta_describe_test name)
  cmake_parse_arguments(ARG "LONG;KEPT" "TIER;TIMEOUT;PROCESSORS" "" ${ARGN})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" area "${folder}")
  if(area STREQUAL "..")
    set(area examples)
  endif()
  set(tiers ${VTA_TEST_TIERS})
  while(NOT ARG_TIER)
    list(POP_FRONT tiers folders tier)
    if("${folder}/" MATCHES "^(${folders})/")
      set(ARG_TIER ${tier})
    endif()
  endwhile()
  set(labels ${area} ${ARG_TIER})
  set(cost ${VTA_TEST_COST_${name}})
  if(cost)
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
  if(ARG_TIER STREQUAL unit)
    set(limit ${VTA_LONG_UNIT_TEST_SECONDS})
  else()
    set(limit ${VTA_LONG_TEST_SECONDS})
  endif()
  if(ARG_LONG OR cost GREATER limit)
    list(APPEND labels long)
  endif()
  list(REMOVE_DUPLICATES labels)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${ARG_TIMEOUT})
  if(ARG_PROCESSORS)
    set_tests_properties(${name} PROPERTIES PROCESSORS ${ARG_PROCESSORS})
  endif()
endfunction()

# vta_add_command_test(NAME COMMAND ... [description]): an entry that is one command.
function(vta_add_command_test name)
  if(NOT VTA_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "LONG;KEPT" "TIER;TIMEOUT;PROCESSORS" "COMMAND" ${ARGN})
  if(ARG_KEPT)
    list(PREPEND ARG_COMMAND /usr/bin/python3 -B ${PROJECT_SOURCE_DIR}/scripts/testing/kept_result.py --sources ${VTA_KEPT_SOURCES}
                             --tools ${VTA_KEPT_TOOLS} --)
  endif()
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "VTA_BINARY_DIR=${PROJECT_BINARY_DIR}")
  # What scripts/test builds for it; ctest does not tell the command of a program that is not there yet.
  list(GET ARG_COMMAND 0 program)
  if(TARGET ${program})
    set_tests_properties(${name} PROPERTIES REQUIRED_FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${program})
  endif()
  vta_collect_description()
  vta_describe_test(${name} ${description})
endfunction()

# Sets `description` to what the caller's arguments say of its entries.
macro(vta_collect_description)
  set(description TIER "${ARG_TIER}" TIMEOUT "${ARG_TIMEOUT}" PROCESSORS "${ARG_PROCESSORS}")
  foreach(flag LONG KEPT)
    if(ARG_${flag})
      list(APPEND description ${flag})
    endif()
  endforeach()
endmacro()

# One name=filter of the test being added, with more description; keeps the filter.
macro(vta_add_test_part part)
  string(REGEX MATCH "^([^=]+)=(.*)$" matched ${part})
  list(APPEND filters ${CMAKE_MATCH_2})
  vta_add_command_test(${name}.${CMAKE_MATCH_1} COMMAND ${name} --gtest_filter=${CMAKE_MATCH_2} ${description} ${ARGN})
endmacro()

# vta_add_test(NAME SOURCES ... DEPS ... [ALONE ...] [SHARDS number] [PARTS name=filter ...] [LONG_PARTS name=filter ...]
# [description]): a GoogleTest program, one entry per program; or so many with a share of its tests each; or one for each of
# its parts, which are filters of GoogleTest, and one for what is in none of them.
# Sources are compiled together as those of a library, but for those of ALONE, whose names are also in others.
# Tests find the source tree through VTA_SOURCE_DIR and built programs through VTA_BINARY_DIR.
function(vta_add_test name)
  if(NOT VTA_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "LONG;KEPT" "TIER;TIMEOUT;PROCESSORS;SHARDS" "SOURCES;ALONE;DEPS;PARTS;LONG_PARTS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${VTA_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main
                                        vta_flags)
  target_compile_definitions(${name} PRIVATE VTA_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             VTA_BINARY_DIR="${PROJECT_BINARY_DIR}")
  # What a test's own code takes to run is little beside what a better optimiser takes to compile it.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  vta_collect_description()
  if(ARG_SHARDS)
    math(EXPR last "${ARG_SHARDS} - 1")
    foreach(shard RANGE ${last})
      math(EXPR part "${shard} + 1")
      vta_add_command_test(${name}.${part} COMMAND ${name} ${description})
      set_property(TEST ${name}.${part} APPEND PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=${ARG_SHARDS} GTEST_SHARD_INDEX=${shard})
    endforeach()
    return()
  endif()
  if(NOT ARG_PARTS AND NOT ARG_LONG_PARTS)
    vta_add_command_test(${name} COMMAND ${name} ${description})
    return()
  endif()
  set(filters "")
  foreach(part ${ARG_PARTS})
    vta_add_test_part(${part})
  endforeach()
  foreach(part ${ARG_LONG_PARTS})
    vta_add_test_part(${part} LONG)
  endforeach()
  string(JOIN ":" filters ${filters})
  vta_add_command_test(${name} COMMAND ${name} --gtest_filter=-${filters} ${description})
endfunction()

# vta_add_python_test(NAME SCRIPT [ARGUMENTS ...] [SPLIT] [description]): a unittest script, run by the system's
# Python: another one on PATH may lack the Debian modules that tests use. It finds the build folder in VTA_BINARY_DIR.
# With SPLIT an entry of its own for each of its methods. Programs of tests/ that it starts are built for it if it, or what it
# imports, has their names in quotes (scripts/testing/test_plan.py).
function(vta_add_python_test name script)
  if(NOT VTA_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "SPLIT;LONG;KEPT" "TIER;TIMEOUT;PROCESSORS" "ARGUMENTS" ${ARGN})
  set(path ${CMAKE_CURRENT_SOURCE_DIR}/${script})
  set(command /usr/bin/python3 -B ${path})
  vta_collect_description()
  if(NOT ARG_SPLIT)
    vta_add_command_test(${name} COMMAND ${command} ${ARG_ARGUMENTS} ${description})
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(STRINGS ${path} lines REGEX "^(class |    def test_)")
  foreach(line ${lines})
    if(line MATCHES "^class ([A-Za-z0-9_]+)")
      set(class ${CMAKE_MATCH_1})
    elseif(line MATCHES "def test_([A-Za-z0-9_]+)")
      set(method ${CMAKE_MATCH_1})
      # Classes may have methods of the same name.
      set(entry ${name}.${method})
      if(TEST ${entry})
        set(entry ${name}.${class}.${method})
      endif()
      vta_add_command_test(${entry} COMMAND ${command} ${class}.test_${method} ${description})
    endif()
  endforeach()
endfunction()
