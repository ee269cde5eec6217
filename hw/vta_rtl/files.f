vta_compute.sv
vta_core.sv
