# The XRT kernel vta.xo from the IP that package_core.tcl made.
# usage: vivado -mode batch -source package_xo.tcl -tclargs BOARD_TCL
source [lindex $argv 0]
set out [dict get $board out]
package_xo -force -xo_path [file join $out vta.xo] -kernel_name vta_top -ip_directory [file join $out ip] \
  -kernel_xml [file join $out kernel.xml]
