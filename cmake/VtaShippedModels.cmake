# The models of the shipped configurations, part of every build where Verilator is.
if(VTA_VERILATOR)
  file(GLOB shipped CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/configs/hw/*.yaml)
  file(GLOB_RECURSE rtl CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/hw/vta_rtl/*)
  file(GLOB wrapper CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sim/rtl/model/*)
  foreach(config ${shipped})
    # Of the published HLS core there is no RTL here.
    file(STRINGS ${config} of_hls_core REGEX "^timing: *hls")
    if(of_hls_core)
      continue()
    endif()
    get_filename_component(name ${config} NAME_WLE)
    set(stamp ${PROJECT_BINARY_DIR}/lib/rtl/${name}.stamp)
    add_custom_command(
      OUTPUT ${stamp}
      COMMAND vta-rtl-models ${config} --directory ${PROJECT_BINARY_DIR}/lib/rtl > ${stamp}
      DEPENDS vta-rtl-models ${config} ${rtl} ${wrapper}
      COMMENT "Verilating the RTL of ${name}"
      VERBATIM)
    list(APPEND stamps ${stamp})
  endforeach()
  add_custom_target(vta-shipped-models ALL DEPENDS ${stamps})
endif()
