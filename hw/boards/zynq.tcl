# Block design for Zynq-7000: registers behind M_AXI_GP0, memory through S_AXI_HP0 and, with more
# memory ports, those behind it, or through the coherent S_AXI_ACP (all AXI3,
# converted by SmartConnect; the core's bursts of at most 16 beats need no splitting), interrupt on IRQ_F2P. Sourced by
# build_board.tcl. IP without version: the latest that the installation has.
create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7 ps
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \
  -config [list make_external "FIXED_IO, DDR" apply_board_preset [dict get $board preset] \
    Master "Disable" Slave "Disable"] [get_bd_cells ps]
set_property -dict [list \
  CONFIG.PCW_USE_M_AXI_GP0 1 \
  CONFIG.PCW_USE_FABRIC_INTERRUPT 1 \
  CONFIG.PCW_IRQ_F2P_INTR 1 \
  CONFIG.PCW_EN_CLK0_PORT 1 \
  CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ [dict get $board clock_mhz]] [get_bd_cells ps]
if {[dict get $board coherent]} {
  # Requests look into the caches only with AxUSER set, which the core does not drive.
  set memory_slaves S_AXI_ACP
  set_property -dict {CONFIG.PCW_USE_S_AXI_ACP 1 CONFIG.PCW_USE_DEFAULT_ACP_USER_VAL 1} [get_bd_cells ps]
} else {
  set memory_slaves {}
  foreach number [memory_ports] {
    lappend memory_slaves S_AXI_HP$number
    set_property -dict [list CONFIG.PCW_USE_S_AXI_HP$number 1 \
      CONFIG.PCW_S_AXI_HP${number}_DATA_WIDTH [dict get $board memory_port_bits]] [get_bd_cells ps]
  }
}
set memory_clocks {}
foreach slave $memory_slaves { lappend memory_clocks [get_bd_pins ps/${slave}_ACLK] }

create_bd_cell -type ip -vlnv vta:user:vta_top:1.0 vta
create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset
create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect control
set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1} [get_bd_cells control]
create_memory $memory_slaves

connect_clocks [core_clocks [get_bd_pins ps/FCLK_CLK0] CONFIG.PCW_ACT_FPGA0_PERIPHERAL_FREQMHZ \
  [get_bd_pins ps/FCLK_RESET0_N]] [list [get_bd_pins ps/M_AXI_GP0_ACLK] \
  {*}$memory_clocks [get_bd_pins reset/slowest_sync_clk] [get_bd_pins control/aclk] {*}[memory_pins aclk]]
connect_bd_net [get_bd_pins ps/FCLK_RESET0_N] [get_bd_pins reset/ext_reset_in]
connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins control/aresetn] {*}[memory_pins aresetn] \
  [get_bd_pins vta/ap_rst_n]
connect_bd_net [get_bd_pins vta/interrupt] [get_bd_pins ps/IRQ_F2P]
connect_bd_intf_net [get_bd_intf_pins ps/M_AXI_GP0] [get_bd_intf_pins control/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins control/M00_AXI] [get_bd_intf_pins vta/s_axi_control]
set registers_segment ps/Data/SEG_vta_reg0
