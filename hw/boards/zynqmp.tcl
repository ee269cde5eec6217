# Block design for Zynq UltraScale+: registers behind M_AXI_HPM0_FPD, memory through S_AXI_HP0_FPD and, with
# more memory ports, those behind it, or through the coherent S_AXI_HPC0_FPD, interrupt on pl_ps_irq0. Sourced by build_board.tcl. IP without version: the latest that the
# installation has.
create_bd_cell -type ip -vlnv xilinx.com:ip:zynq_ultra_ps_e ps
apply_bd_automation -rule xilinx.com:bd_rule:zynq_ultra_ps_e \
  -config [list apply_board_preset [dict get $board preset]] [get_bd_cells ps]
set_property -dict [list \
  CONFIG.PSU__USE__M_AXI_GP0 1 \
  CONFIG.PSU__USE__M_AXI_GP1 0 \
  CONFIG.PSU__USE__M_AXI_GP2 0 \
  CONFIG.PSU__MAXIGP0__DATA_WIDTH 32 \
  CONFIG.PSU__USE__IRQ0 1 \
  CONFIG.PSU__FPGA_PL0_ENABLE 1 \
  CONFIG.PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ [dict get $board clock_mhz]] [get_bd_cells ps]
if {[dict get $board coherent]} {
  set memory_slaves S_AXI_HPC0_FPD
  set memory_clocks [list saxihpc0_fpd_aclk]
  set_property -dict [list CONFIG.PSU__USE__S_AXI_GP0 1 CONFIG.PSU__AFI0_COHERENCY 1 \
    CONFIG.PSU__SAXIGP0__DATA_WIDTH [dict get $board memory_port_bits]] [get_bd_cells ps]
} else {
  set memory_slaves {}
  set memory_clocks {}
  foreach number [memory_ports] {
    lappend memory_slaves S_AXI_HP${number}_FPD
    lappend memory_clocks saxihp${number}_fpd_aclk
    set gp [expr {2 + $number}]
    set_property -dict [list CONFIG.PSU__USE__S_AXI_GP$gp 1 \
      CONFIG.PSU__SAXIGP${gp}__DATA_WIDTH [dict get $board memory_port_bits]] [get_bd_cells ps]
  }
}
set memory_clock_pins {}
foreach clock $memory_clocks { lappend memory_clock_pins [get_bd_pins ps/$clock] }

create_bd_cell -type ip -vlnv vta:user:vta_top:1.0 vta
create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset
create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect control
set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1} [get_bd_cells control]
create_memory $memory_slaves

connect_clocks [core_clocks [get_bd_pins ps/pl_clk0] CONFIG.PSU__CRL_APB__PL0_REF_CTRL__ACT_FREQMHZ \
  [get_bd_pins ps/pl_resetn0]] [list [get_bd_pins ps/maxihpm0_fpd_aclk] \
  {*}$memory_clock_pins [get_bd_pins reset/slowest_sync_clk] [get_bd_pins control/aclk] {*}[memory_pins aclk]]
connect_bd_net [get_bd_pins ps/pl_resetn0] [get_bd_pins reset/ext_reset_in]
connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins control/aresetn] {*}[memory_pins aresetn] \
  [get_bd_pins vta/ap_rst_n]
connect_bd_net [get_bd_pins vta/interrupt] [get_bd_pins ps/pl_ps_irq0]
connect_bd_intf_net [get_bd_intf_pins ps/M_AXI_HPM0_FPD] [get_bd_intf_pins control/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins control/M00_AXI] [get_bd_intf_pins vta/s_axi_control]
set registers_segment ps/Data/SEG_vta_reg0
