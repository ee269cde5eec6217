# The core's memory ports: the first is m_axi_gmem, then come m_axi_gmem1 and so on. Sourced by build_board.tcl.

# Numbers of the ports.
proc memory_ports {} {
  global board
  set numbers {}
  for {set i 0} {$i < [dict get $board ports]} {incr i} { lappend numbers $i }
  return $numbers
}

# Name of the interconnect, or of the interface, of a port.
proc of_port {name number} { return [expr {$number == 0 ? $name : "$name$number"}] }

# An interconnect for each port, to one each of the processor's interfaces `slaves`.
proc create_memory {slaves} {
  foreach number [memory_ports] slave $slaves {
    set cell [of_port memory $number]
    create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect $cell
    set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1} [get_bd_cells $cell]
    connect_bd_intf_net [get_bd_intf_pins vta/[of_port m_axi_gmem $number]] [get_bd_intf_pins $cell/S00_AXI]
    connect_bd_intf_net [get_bd_intf_pins $cell/M00_AXI] [get_bd_intf_pins ps/$slave]
  }
}

# The same pin of each interconnect.
proc memory_pins {pin} {
  set pins {}
  foreach number [memory_ports] { lappend pins [get_bd_pins [of_port memory $number]/$pin] }
  return $pins
}
