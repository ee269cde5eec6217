# Models of the RTL for simulation.
include_guard(GLOBAL)
find_program(VTA_VERILATOR verilator REQUIRED)
get_filename_component(VTA_VERILATOR_BIN ${VTA_VERILATOR} DIRECTORY)
find_path(VTA_VERILATOR_INCLUDE verilated.h PATHS ${VTA_VERILATOR_BIN}/../share/verilator/include REQUIRED)

# Verilator's run-time library, once.
add_library(vta_verilated_runtime STATIC
  ${VTA_VERILATOR_INCLUDE}/verilated.cpp ${VTA_VERILATOR_INCLUDE}/verilated_threads.cpp
  ${VTA_VERILATOR_INCLUDE}/verilated_fst_c.cpp)
target_include_directories(vta_verilated_runtime SYSTEM PUBLIC ${VTA_VERILATOR_INCLUDE}
                                                               ${VTA_VERILATOR_INCLUDE}/vltstd)
target_compile_options(vta_verilated_runtime PRIVATE -w)
target_link_libraries(vta_verilated_runtime PUBLIC Threads::Threads z)

# vta_add_verilated(NAME TOP module HW file.yaml [PACKAGE_OPTIONS ...] [OPTIONS ...] [FILES ...]): a static library
# with the class V<NAME>, module TOP of hw/vta_rtl (and FILES, waivers for instance) for the hardware configuration HW.
# PACKAGE_OPTIONS go to vta-info, OPTIONS to verilator. Lint warnings are errors.
function(vta_add_verilated name)
  cmake_parse_arguments(ARG "" "TOP;HW" "PACKAGE_OPTIONS;OPTIONS;FILES" ${ARGN})
  set(rtl_dir ${PROJECT_SOURCE_DIR}/hw/vta_rtl)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rtl_dir}/files.f)
  file(STRINGS ${rtl_dir}/files.f rtl_files)
  list(TRANSFORM rtl_files PREPEND ${rtl_dir}/)

  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(package ${dir}/vta_pkg.sv)
  file(MAKE_DIRECTORY ${dir}/model)
  add_custom_command(
    OUTPUT ${package}
    COMMAND vta-info --rtl-package ${package} --hw ${ARG_HW} ${ARG_PACKAGE_OPTIONS}
    DEPENDS vta-info ${ARG_HW}
    VERBATIM)
  set(archive ${dir}/model/V${name}__ALL.a)
  # The compiler cache is asked by way of Verilator's makefile.
  add_custom_command(
    OUTPUT ${archive}
    COMMAND ${CMAKE_COMMAND} -E env "OBJCACHE=${VTA_CCACHE}" ${VTA_VERILATOR} --cc --build -j 1 -Wall
            -O3 --x-assign fast --x-initial fast --assert ${ARG_OPTIONS} -CFLAGS "-O2 -fPIC"
            --prefix V${name} --top-module ${ARG_TOP} --Mdir ${dir}/model ${package} ${ARG_FILES}
            ${rtl_files} > ${dir}/verilator.log
    DEPENDS ${package} ${ARG_FILES} ${rtl_files}
    VERBATIM)
  add_custom_target(${name}_verilate DEPENDS ${archive})
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_verilate)
  target_include_directories(${name} SYSTEM INTERFACE ${dir}/model)
  target_link_libraries(${name} INTERFACE ${archive} vta_verilated_runtime)
endfunction()
