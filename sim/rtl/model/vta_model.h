/* The C interface of a Verilated core in a shared library: one library per hardware configuration
   and variant, loaded with dlopen. Plain C types, so that the library needs nothing of the program
   that loads it. */
#ifndef SIM_RTL_MODEL_VTA_MODEL_H
#define SIM_RTL_MODEL_VTA_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { VTA_MODEL_ABI = 3, VTA_MODEL_MAX_DATA_BYTES = 128, VTA_MODEL_MAX_AXI_PORTS = 4 };

/* The signals of one AXI4 master port, without those of AXI4-Lite. */
struct VtaAxiPort {
  /* inputs of the core */
  uint8_t arready, rid, rresp, rlast, rvalid, awready, wready, bid, bresp, bvalid;
  uint8_t rdata[VTA_MODEL_MAX_DATA_BYTES];
  /* outputs */
  uint8_t arid, arlen, arsize, arburst, arvalid, rready;
  uint8_t awid, awlen, awsize, awburst, awvalid, wlast, wvalid, bready;
  uint64_t araddr, awaddr;
  uint64_t wstrb[VTA_MODEL_MAX_DATA_BYTES / 64];
  uint8_t wdata[VTA_MODEL_MAX_DATA_BYTES];
};

/* The ports of vta_core. The caller writes the inputs before vta_model_settle and reads the outputs
 * behind it. */
struct VtaModelPorts {
  /* inputs */
  uint8_t rst_n;
  uint8_t axil_awvalid, axil_wvalid, axil_wstrb, axil_bready, axil_arvalid, axil_rready;
  uint16_t axil_awaddr, axil_araddr;
  uint32_t axil_wdata;
  /* outputs */
  uint8_t irq, running, retire_valid;
  uint32_t retire_number[3]; /* load, compute, store */
  uint8_t axil_awready, axil_wready, axil_bresp, axil_bvalid, axil_arready, axil_rresp, axil_rvalid;
  uint32_t axil_rdata;
  /* both; as many as the configuration has ports */
  struct VtaAxiPort axi[VTA_MODEL_MAX_AXI_PORTS];
};

struct VtaModel;

/* The memories that a probe reads. */
enum VtaModelMemory { VTA_PROBE_UOP, VTA_PROBE_WGT, VTA_PROBE_INP, VTA_PROBE_ACC, VTA_PROBE_OUT };

/* Instructions that are dispatched (VTA_PROBE_FETCH) and that their units start in a cycle. */
enum { VTA_PROBE_LOAD, VTA_PROBE_COMPUTE, VTA_PROBE_STORE, VTA_PROBE_FETCH, VTA_PROBE_STARTS };
struct VtaModelStarts {
  uint8_t valid[VTA_PROBE_STARTS];
  uint32_t number[VTA_PROBE_STARTS];
};

struct VtaModelApi {
  uint32_t abi;
  uint32_t data_bytes; /* of an AXI port */
  uint32_t axi_ports;
  /* `random_seed` 0: registers and memories start as zeros, else as random values. */
  struct VtaModel* (*create)(uint32_t random_seed);
  void (*destroy)(struct VtaModel* model);
  struct VtaModelPorts* (*ports)(struct VtaModel* model);
  /* One clock cycle: settle makes the outputs follow the inputs, edge is the rising clock edge. */
  void (*settle)(struct VtaModel* model);
  void (*edge)(struct VtaModel* model);
  /* The variant "waves" only: writes an FST file from here on, until the file is closed. 0: ok. */
  int (*open_waves)(struct VtaModel* model, const char* path);
  void (*close_waves)(struct VtaModel* model);
  /* The variant "checked" only: element `index` of a scratchpad, 32-bit word `word`. */
  uint32_t (*probe)(struct VtaModel* model, int memory, uint32_t index, uint32_t word);
  /* The variant "checked" only, between settle and edge: the starts of the cycle. */
  void (*probe_starts)(struct VtaModel* model, struct VtaModelStarts* starts);
  /* The variant "checked" only: writes the coverage that was collected so far. 0: ok. */
  int (*write_coverage)(struct VtaModel* model, const char* path);
  /* A failed assertion of the RTL since creation, or a null pointer. Stays valid. */
  const char* (*failure)(struct VtaModel* model);
};

/* The only symbol of the library. */
const struct VtaModelApi* vta_model_api(void);

#ifdef __cplusplus
}
#endif

#endif /* SIM_RTL_MODEL_VTA_MODEL_H */
