// Reports in Vivado's format, made up for these tests.
#pragma once

#include <fmt/format.h>

#include <string>

namespace vta::sweep {

/// A report of report_utilization for a device of the 7 series.
inline std::string utilizationText(const std::string& luts = "24120",
                                   const std::string& registers = "11800",
                                   const std::string& blocks = "120.5",
                                   const std::string& dsps = "185") {
  return fmt::format(R"(Copyright 1986-2022 Xilinx, Inc. All Rights Reserved.
---------------------------------------------------------------------------------------------
| Tool Version : Vivado v.2022.1 (lin64) Build 3526262 Mon Apr 18 15:47:01 MDT 2022
| Date         : Tue May  9 10:11:12 2023
| Host         : machine running 64-bit
| Command      : report_utilization -file utilization.rpt
| Design       : vta_system_wrapper
| Device       : xc7z020clg400-1
| Speed File   : -1
| Design State : Routed
---------------------------------------------------------------------------------------------

Utilization Design Information

Table of Contents
-----------------
1. Slice Logic
1.1 Summary of Registers by Type
2. Slice Logic Distribution
3. Memory
4. DSP

1. Slice Logic
--------------

+----------------------------+-------+-------+------------+-----------+-------+
|          Site Type         |  Used | Fixed | Prohibited | Available | Util% |
+----------------------------+-------+-------+------------+-----------+-------+
| Slice LUTs*                | {} |     0 |          0 |     53200 | 45.34 |
|   LUT as Logic             | 22000 |     0 |          0 |     53200 | 41.35 |
|   LUT as Memory            |  2120 |     0 |          0 |     17400 | 12.18 |
|     LUT as Distributed RAM |  2000 |     0 |            |           |       |
|     LUT as Shift Register  |   120 |     0 |            |           |       |
| Slice Registers            | {} |     0 |          0 |    106400 | 11.09 |
|   Register as Flip Flop    | 11800 |     0 |          0 |    106400 | 11.09 |
|   Register as Latch        |     0 |     0 |          0 |    106400 |  0.00 |
| F7 Muxes                   |     3 |     0 |          0 |     26600 | <0.01 |
+----------------------------+-------+-------+------------+-----------+-------+
* Warning! LUT value is adjusted to account for LUT combining.


3. Memory
---------

+-------------------+-------+-------+------------+-----------+-------+
|     Site Type     |  Used | Fixed | Prohibited | Available | Util% |
+-------------------+-------+-------+------------+-----------+-------+
| Block RAM Tile    | {} |     0 |          0 |       140 | 86.07 |
|   RAMB36/FIFO*    |   115 |     0 |          0 |       140 | 82.14 |
|   RAMB18          |    11 |     0 |          0 |       280 |  3.93 |
+-------------------+-------+-------+------------+-----------+-------+
* Note: Each Block RAM Tile only has one FIFO logic available and therefore can accommodate only one.


4. DSP
------

+----------------+------+-------+------------+-----------+-------+
|    Site Type   | Used | Fixed | Prohibited | Available | Util% |
+----------------+------+-------+------------+-----------+-------+
| DSPs           | {} |     0 |          0 |       220 | 84.09 |
|   DSP48E1 only |  185 |       |            |           |       |
+----------------+------+-------+------------+-----------+-------+
)",
                     luts, registers, blocks, dsps);
}

/// The same for UltraScale+, whose sites have other names, by an older Vivado without "Prohibited".
inline constexpr const char* kUltraScaleText = R"(
| Device       : xczu3eg-sbva484-1-e
| Design State : Synthesized

Utilization Design Information

1. CLB Logic
------------

+----------------------------+-------+-------+-----------+-------+
|          Site Type         |  Used | Fixed | Available | Util% |
+----------------------------+-------+-------+-----------+-------+
| CLB LUTs*                  | 25000 |     0 |     70560 | 35.43 |
| CLB Registers              | 12000 |     0 |    141120 |  8.50 |
+----------------------------+-------+-------+-----------+-------+

| Block RAM Tile |   97 |     0 |       216 | 44.91 |
| URAM           |    4 |     0 |         0 |  0.00 |
| DSPs           |  185 |     0 |       360 | 51.39 |
)";

inline constexpr const char* kHierarchyText = R"(
| Command      : report_utilization -hierarchical -file utilization.rpt
| Device       : xc7z020clg400-1
| Design State : Routed

Utilization Design Information

1. Utilization by Hierarchy
---------------------------

+----------------------+---------------------+------------+------------+---------+------+-------+--------+--------+--------------+
|       Instance       |        Module       | Total LUTs | Logic LUTs | LUTRAMs | SRLs |  FFs  | RAMB36 | RAMB18 | DSP48 Blocks |
+----------------------+---------------------+------------+------------+---------+------+-------+--------+--------+--------------+
| vta_system_wrapper   |               (top) |      28000 |      26000 |    1800 |  200 | 15000 |    121 |      8 |          185 |
|   (vta_system)       |          vta_system |         10 |         10 |       0 |    0 |    20 |      0 |      0 |            0 |
|   core               |            vta_core |      24000 |      22300 |    1700 |    0 | 11000 |    115 |      5 |          185 |
|     fetch            |           vta_fetch |       1500 |       1400 |     100 |    0 |   900 |      1 |      0 |            0 |
+----------------------+---------------------+------------+------------+---------+------+-------+--------+--------+--------------+
)";

/// A report of report_timing_summary with the clock of the core, of which the worst slack is given,
/// a clock that it is made from, and one of no paths.
inline std::string timingText(const std::string& slack = " 1.250", bool has_second_clock = false) {
  return fmt::format(R"(
| Design       : vta_system_wrapper
| Device       : 7z020-clg400
| Speed File   : -1  PRODUCTION 1.12 2019-11-22
---------------------------------------------------------------------------------------------

Timing Summary Report

------------------------------------------------------------------------------------------------
| Design Timing Summary
| ---------------------
------------------------------------------------------------------------------------------------

    WNS(ns)      TNS(ns)  TNS Failing Endpoints  TNS Total Endpoints      WHS(ns)      THS(ns)
    -------      -------  ---------------------  -------------------      -------      -------
     {0}        0.000                      0                31000        0.020        0.000


------------------------------------------------------------------------------------------------
| Clock Summary
| -------------
------------------------------------------------------------------------------------------------

Clock             Waveform(ns)       Period(ns)      Frequency(MHz)
-----             ------------       ----------      --------------
clk_fpga_0        {{0.000 10.000}}     20.000          50.000
  clk_core        {{0.000 5.000}}      10.000          100.000
  clk_feedback    {{0.000 10.000}}     20.000          50.000


------------------------------------------------------------------------------------------------
| Intra Clock Table
| -----------------
------------------------------------------------------------------------------------------------

Clock                 WNS(ns)      TNS(ns)  TNS Failing Endpoints  TNS Total Endpoints     WPWS(ns)
-----                 -------      -------  ---------------------  -------------------     --------
clk_fpga_0        {1}                                                                       7.000
  clk_core             {0}        0.000                      0                31000        3.750
  clk_feedback                                                                                17.845


------------------------------------------------------------------------------------------------
| Inter Clock Table
| -----------------
------------------------------------------------------------------------------------------------

From Clock    To Clock          WNS(ns)      TNS(ns)
----------    --------          -------      -------
clk_fpga_0    clk_core            0.100        0.000
)",
                     slack, has_second_clock ? "     12.000" : "           ");
}

}  // namespace vta::sweep
