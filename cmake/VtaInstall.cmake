# cmake --install and CPack: a component for each Debian package.
#   runtime  the shared library
#   dev      headers, find_package(vta), pkg-config
#   tools    the command-line programs and the configurations
#   python   the Python package
include(CMakePackageConfigHelpers)

install(TARGETS vta EXPORT vtaTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/api/include/vta DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/module/operators/include/vta/operator.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vta COMPONENT dev)
if(TARGET vta_ort)
  # Programs name its file. It finds the library in the folder above.
  set_target_properties(vta_ort PROPERTIES INSTALL_RPATH "$ORIGIN/..")
  install(TARGETS vta_ort LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/vta COMPONENT runtime)
endif()
install(EXPORT vtaTargets NAMESPACE vta:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vta COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/vtaConfig.cmake.in ${PROJECT_BINARY_DIR}/vtaConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vta)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/vtaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/vtaConfig.cmake ${PROJECT_BINARY_DIR}/vtaConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vta COMPONENT dev)
# Kernels of one's own in C++, from tiles or descriptions to programs, with assembler, verifier and simulators:
# find_package(vta COMPONENTS kernels) has vta::kernels. Their headers include each other from the root of our sources.
if(NOT CMAKE_CROSSCOMPILING)
  set(kernel_headers ${CMAKE_INSTALL_INCLUDEDIR}/vta-kernels)
  add_library(vta_kernels INTERFACE)
  set_target_properties(vta_kernels PROPERTIES EXPORT_NAME kernels)
  target_compile_features(vta_kernels INTERFACE cxx_std_20)
  target_link_libraries(vta_kernels INTERFACE vta_tile vta_sim_cycle vta_device_functional vta_device_cycle)
  install(TARGETS vta_kernels vta_tile vta_kernel vta_driver vta_program vta_isa vta_base vta_thread_pool
                  vta_device_functional vta_device_cycle vta_sim_device vta_sim_cycle vta_sim_functional vta_sim_memory
                  vta_sim_common
          EXPORT vtaKernelsTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/vta COMPONENT dev
          INCLUDES DESTINATION ${kernel_headers})
  foreach(folder base isa compiler/kernel compiler/tile sim/common sim/cycle sim/functional sim/memory)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION ${kernel_headers}/${folder} COMPONENT dev
            FILES_MATCHING PATTERN "*.h")
  endforeach()
  file(GLOB driver_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/driver/*.h)
  install(FILES ${driver_headers} DESTINATION ${kernel_headers}/driver COMPONENT dev)
  install(EXPORT vtaKernelsTargets NAMESPACE vta:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vta COMPONENT dev)
endif()
# From the folder of vta.pc to the prefix, so that the tree may be moved.
file(RELATIVE_PATH vta_pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/vta.pc.in ${PROJECT_BINARY_DIR}/vta.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/vta.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

get_property(tools GLOBAL PROPERTY VTA_INSTALLED_TOOLS)
foreach(tool ${tools})
  # Debian has MLIR and LLVM in a folder that the linker does not search.
  set_target_properties(${tool} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endforeach()

# Manual pages and shell completion, which each tool prints about itself.
if(NOT CMAKE_CROSSCOMPILING)
  set(documents ${PROJECT_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${documents}/man/man1 ${documents}/bash-completion/completions ${documents}/zsh/site-functions
       ${documents}/fish/vendor_completions.d)
  get_property(tools GLOBAL PROPERTY VTA_DOCUMENTED_TOOLS)
  foreach(tool ${tools})
    set(page ${documents}/man/man1/${tool}.1)
    add_custom_command(
      OUTPUT ${page}
      COMMAND ${tool} --completion bash > ${documents}/bash-completion/completions/${tool}
      COMMAND ${tool} --completion zsh > ${documents}/zsh/site-functions/_${tool}
      COMMAND ${tool} --completion fish > ${documents}/fish/vendor_completions.d/${tool}.fish
      COMMAND ${tool} --man > ${page}
      DEPENDS ${tool}
      COMMENT "Documenting the options of ${tool}"
      VERBATIM)
    list(APPEND pages ${page})
  endforeach()
  add_custom_target(vta_tool_documents ALL DEPENDS ${pages})
  install(DIRECTORY ${documents}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT tools)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/vta COMPONENT tools)
# What --sim=rtl builds its models from, with a Verilator and a C++ compiler of the user's.
foreach(folder hw/vta_rtl hw/coverage sim/rtl/model)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vta/rtl/${folder} COMPONENT tools
          FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh" PATTERN "*.vlt" PATTERN "files.f" PATTERN "*.h" PATTERN "*.cpp")
endforeach()

# Debian's Python looks here below /usr, others below their site-packages.
set(VTA_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where cmake --install puts the Python package")
if(TARGET vta_python)
  install(TARGETS vta_python LIBRARY DESTINATION ${VTA_PYTHON_DIR}/vta COMPONENT python)
  if(TARGET vta_tile_python)
    install(TARGETS vta_tile_python LIBRARY DESTINATION ${VTA_PYTHON_DIR}/vta COMPONENT python)
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/api/python/vta DESTINATION ${VTA_PYTHON_DIR} COMPONENT python
          FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed")
  # It finds the library of its own prefix.
  file(RELATIVE_PATH library_from_python ${CMAKE_INSTALL_PREFIX}/${VTA_PYTHON_DIR}/vta
       ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(vta_python PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_python}")
endif()

# Every package says under which licence it is and how to report a weakness. The pages of the tools hold ECharts.
set(package_runtime libvta${PROJECT_VERSION_MAJOR})
set(package_dev libvta-dev)
set(package_tools vta-tools)
set(package_python python3-vta)
foreach(component runtime dev tools python)
  set(documents ${CMAKE_INSTALL_DATADIR}/doc/${package_${component}})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${documents} RENAME copyright COMPONENT ${component})
  install(FILES ${PROJECT_SOURCE_DIR}/SECURITY.md DESTINATION ${documents} COMPONENT ${component})
endforeach()
foreach(file LICENSE LICENSE-d3 NOTICE README.md)
  install(FILES ${PROJECT_SOURCE_DIR}/third_party/echarts/${file}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package_tools}/third_party/echarts COMPONENT tools)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vta)
set(CPACK_PACKAGE_VENDOR "The VTA SDK")
# Who publishes packages puts a name and an address of their own here.
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/maintainer.txt maintainer)
set(VTA_MAINTAINER "${maintainer}" CACHE STRING "Whom packages name as their maintainer: NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT "${VTA_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiler, runtime and simulators for the VTA accelerator")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL runtime dev tools python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${package_runtime})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME ${package_dev})
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libvta${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "libfmt-dev, libhwy-dev, libyaml-cpp-dev") # for vta::kernels
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME ${package_tools})
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "verilator, make, clang-19 | g++") # for --sim=rtl
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME ${package_python})
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "libvta${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}), python3 (>= 3.11), python3 (<< 3.12), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS vta-tools)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/cmake/debian/postinst;${PROJECT_SOURCE_DIR}/cmake/debian/prerm")
include(CPack)
