# The core's clocks, from the pin of the processor that drives `source`: its own, which the buses share, and the one of
# twice its frequency that double-pumped multipliers need. Without these both are the same. `frequency` is the property
# of the processor with the frequency that its PLL really makes of the wish, and `reset` the pin of its reset, low when
# it is on: the MMCM has to start again after its clock was set. Sourced by build_board.tcl.
proc core_clocks {source frequency reset} {
  global board
  if {![dict get $board double_pumped]} { return [list $source $source] }
  set mhz [get_property $frequency [get_bd_cells ps]]
  # One MMCM makes both, so they rise together.
  create_bd_cell -type ip -vlnv xilinx.com:ip:clk_wiz clocks
  set_property -dict [list \
    CONFIG.PRIM_SOURCE No_buffer \
    CONFIG.PRIM_IN_FREQ $mhz \
    CONFIG.CLKOUT1_REQUESTED_OUT_FREQ $mhz \
    CONFIG.CLKOUT2_USED true \
    CONFIG.CLKOUT2_REQUESTED_OUT_FREQ [expr {2 * $mhz}] \
    CONFIG.USE_RESET true \
    CONFIG.RESET_TYPE ACTIVE_LOW] [get_bd_cells clocks]
  connect_bd_net $reset [get_bd_pins clocks/resetn]
  connect_bd_net $source [get_bd_pins clocks/clk_in1]
  return [list [get_bd_pins clocks/clk_out1] [get_bd_pins clocks/clk_out2]]
}

# Connects the clocks: the first to `pins` and to the core, the second to the core. Until the MMCM has locked, everything
# is in reset.
proc connect_clocks {clocks pins} {
  lassign $clocks clock double
  if {$clock eq $double} {
    connect_bd_net $clock {*}$pins [get_bd_pins vta/ap_clk] [get_bd_pins vta/ap_clk_2]
    return
  }
  connect_bd_net $clock {*}$pins [get_bd_pins vta/ap_clk]
  connect_bd_net $double [get_bd_pins vta/ap_clk_2]
  connect_bd_net [get_bd_pins clocks/locked] [get_bd_pins reset/dcm_locked]
}
