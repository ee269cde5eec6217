# The bitstream of one board: a block design of processor, core and interconnect, implemented. After package_core.tcl.
# usage: vivado -mode batch -source build_board.tcl -tclargs BOARD_TCL
source [lindex $argv 0]
set out [dict get $board out]

create_project -force -part [dict get $board part] vta [file join $out vta]
set_property board_part [dict get $board board_part] [current_project]
set_property ip_repo_paths [file join $out ip] [current_project]
update_ip_catalog
add_files -fileset constrs_1 -norecurse [file join [dict get $board scripts] constraints.xdc]

create_bd_design vta_system
source [file join [dict get $board scripts] [dict get $board family].tcl]
assign_bd_address
set_property offset [dict get $board registers_address] [get_bd_addr_segs $registers_segment]
set_property range [dict get $board registers_bytes] [get_bd_addr_segs $registers_segment]
validate_bd_design
save_bd_design

make_wrapper -files [get_files vta_system.bd] -top -import
set_property top vta_system_wrapper [current_fileset]
update_compile_order -fileset sources_1
launch_runs impl_1 -to_step write_bitstream -jobs 4
wait_on_run impl_1
if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} {
  error "implementation failed; see the logs under $out/vta"
}
open_run impl_1
report_timing_summary -file [file join $out timing.rpt]
report_utilization -file [file join $out utilization.rpt]
if {[get_property SLACK [get_timing_paths -max_paths 1]] < 0} {
  error "timing is not met; see $out/timing.rpt, and lower clock_mhz of the board"
}
write_hw_platform -fixed -include_bit -force -file [file join $out vta.xsa]
