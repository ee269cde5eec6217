# The bitstream of one board: a block design of processor, core and interconnect, implemented. After package_core.tcl.
# usage: vivado -mode batch -source build_board.tcl -tclargs BOARD_TCL
source [lindex $argv 0]
set out [dict get $board out]
source [file join [dict get $board scripts] timing.tcl]

create_project -force -part [dict get $board part] vta [file join $out vta]
# Board files bring the processor's preset: DDR and pins. A bitstream that a running Linux loads does without: the boot
# image has set up both, and vta.json tells vta-flash the clocks and the widths of ports.
set has_board_files [expr {[llength [get_board_parts -quiet [dict get $board board_part]]] > 0}]
dict set board preset $has_board_files
if {$has_board_files} {
  set_property board_part [dict get $board board_part] [current_project]
} else {
  puts "WARNING: no board files for [dict get $board board_part]: the processor keeps Vivado's defaults.\
    The bitstream works where Linux runs already; for a boot image, install the board's files (Vivado: Tools,\
    Vivado Store, Boards) and build again."
}
set_property ip_repo_paths [file join $out ip] [current_project]
update_ip_catalog
add_files -fileset constrs_1 -norecurse [file join [dict get $board scripts] constraints.xdc]

create_bd_design vta_system
source [file join [dict get $board scripts] clocks.tcl]
source [file join [dict get $board scripts] memory_ports.tcl]
source [file join [dict get $board scripts] [dict get $board family].tcl]
assign_bd_address
set_property offset [dict get $board registers_address] [get_bd_addr_segs $registers_segment]
set_property range [dict get $board registers_bytes] [get_bd_addr_segs $registers_segment]
validate_bd_design
save_bd_design

make_wrapper -files [get_files vta_system.bd] -top -import
set_property top vta_system_wrapper [current_fileset]
update_compile_order -fileset sources_1
implement $out [dict get $board clock_mhz]
write_hw_platform -fixed -include_bit -force -file [file join $out vta.xsa]

# Beside the platform, where PYNQ's Overlay and vta-flash look for them.
set runs [get_property DIRECTORY [current_run -implementation]]
file copy -force [file join $runs vta_system_wrapper.bit] [file join $out vta.bit]
set handoff [lindex [get_files -quiet -of_objects [get_files vta_system.bd] *.hwh] 0]
if {$handoff eq ""} {
  error "the block design has no hardware handoff (.hwh): generate its output products"
}
file copy -force $handoff [file join $out vta.hwh]
