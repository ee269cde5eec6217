# vta_add_lit_tests(): one ctest entry that runs lit over every tests/**/*.mlir. It exists wherever vta-opt
# is built, and lit fails when it finds no test.
function(vta_add_lit_tests)
  if(NOT TARGET vta-opt)
    return()
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/tests/lit.site.cfg.py.in
                 ${PROJECT_BINARY_DIR}/tests/lit.site.cfg.py @ONLY)
  # The system's Python: another one on PATH may lack the Debian modules that tests use.
  vta_add_command_test(lit COMMAND /usr/bin/python3 ${VTA_LLVM_PREFIX}/build/utils/lit/lit.py -sv ${PROJECT_BINARY_DIR}/tests
                       TIER lit TIMEOUT 1200)
endfunction()
