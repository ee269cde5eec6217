# Packages vta_top and the core as the IP vta:user:vta_top:1.0. board.tcl, written by hw/boards/build, sets `board`.
# usage: vivado -mode batch -source package_core.tcl -tclargs BOARD_TCL
source [lindex $argv 0]
set ip_dir [file join [dict get $board out] ip]

create_project -force -part [dict get $board part] package_core [file join [dict get $board out] package_core]
add_files -norecurse [dict get $board sources]
set_property top vta_top [current_fileset]
set_property generic [list C_M_AXI_GMEM_ADDR_WIDTH=[dict get $board addr_width_bits] \
  C_M_AXI_GMEM_DATA_WIDTH=[dict get $board data_width_bits] \
  C_M_AXI_GMEM_COHERENT=[dict get $board coherent] \
  C_AP_CTRL_CHAIN=[dict get $board ap_ctrl_chain]] [current_fileset]
update_compile_order -fileset sources_1

ipx::package_project -root_dir $ip_dir -vendor vta -library user -taxonomy /UserIP -import_files -set_current true
set core [ipx::current_core]
set_property name vta_top $core
set_property version 1.0 $core
foreach {parameter value} [list C_M_AXI_GMEM_ADDR_WIDTH [dict get $board addr_width_bits] \
    C_M_AXI_GMEM_DATA_WIDTH [dict get $board data_width_bits] \
    C_M_AXI_GMEM_COHERENT [dict get $board coherent] \
    C_AP_CTRL_CHAIN [dict get $board ap_ctrl_chain]] {
  set_property value $value [ipx::get_user_parameters $parameter -of_objects $core]
}
# All buses run on the one clock.
ipx::associate_bus_interfaces -busif s_axi_control -clock ap_clk $core
ipx::associate_bus_interfaces -busif m_axi_gmem -clock ap_clk $core
for {set i 1} {$i < [dict get $board ports]} {incr i} {
  ipx::associate_bus_interfaces -busif m_axi_gmem$i -clock ap_clk $core
}
# As Vitis wants it of an RTL kernel: the clock's frequency is not the IP's affair, who starts the kernel, and registers
# that hold addresses say for which bus. In a block design of our own these would only switch checks off.
if {[dict get $board xo]} {
  set_property sdx_kernel true $core
  set_property sdx_kernel_type rtl $core
  set_property ipi_drc {ignore_freq_hz true} $core
  set_property vitis_drc [list ctrl_protocol [dict get $board control]] $core
}
set block [ipx::get_address_blocks reg0 -of_objects [ipx::get_memory_maps s_axi_control -of_objects $core]]
foreach {name offset} [dict get $board registers] {
  set register [ipx::add_register $name $block]
  set_property address_offset $offset $register
  set_property size 64 $register
  set_property value m_axi_gmem [ipx::add_register_parameter ASSOCIATED_BUSIF $register]
}
set_property supported_families {} $core
set_property auto_family_support_level level_2 $core
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
close_project
