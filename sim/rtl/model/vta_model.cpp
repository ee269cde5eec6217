// Wraps the Verilated core of one configuration in the C interface. Compiled together with
// Verilator's output.
#include "sim/rtl/model/vta_model.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <Vvta.h>
#include <verilated.h>
#if VM_TRACE_FST
#include <verilated_fst_c.h>
#endif
#if VM_COVERAGE
#include <verilated_cov.h>
#endif
#ifdef VTA_MODEL_PROBE
#include <verilated_syms.h>
#endif

#ifdef VTA_MODEL_PROBE
// The storage of one RAM.
struct Ram {
  const uint8_t* data = nullptr;
  uint32_t row_bytes = 0;  // of one element, as Verilator stores it
};

// The signals of one vta_start_probe.
struct StartProbe {
  const uint8_t* valid = nullptr;
  const uint32_t* number = nullptr;
};
#endif

struct VtaModel {
  VerilatedContext context;
  std::unique_ptr<Vvta> top;
  VtaModelPorts ports = {};
  uint64_t time = 0;
  std::string failure;
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> waves;
#endif
#ifdef VTA_MODEL_PROBE
  std::array<std::vector<Ram>, 5> banks;  // by memory: the RAMs that hold it, by low index bits
  std::array<StartProbe, VTA_PROBE_STARTS> starts;
#endif
};

namespace {

#ifndef VTA_MODEL_AXI_PORTS
#define VTA_MODEL_AXI_PORTS 1
#endif
#ifndef VTA_MODEL_ADDR_BITS
#define VTA_MODEL_ADDR_BITS 64
#endif
constexpr unsigned kAxiPorts = VTA_MODEL_AXI_PORTS;
constexpr unsigned kAddrBits = VTA_MODEL_ADDR_BITS;
constexpr unsigned kDataBytes = sizeof(Vvta::m_axi_rdata_i) / kAxiPorts;

// Verilator's ports are integers of various widths or arrays of words; all are little endian in
// memory. The AXI ports' signals of one name lie in one of them, one behind the other.

// The field of `width` bits, at most 64, that belongs to AXI port `index`.
template <typename Port>
uint64_t fieldOf(const Port& port, unsigned index, unsigned width) {
  if constexpr (kAxiPorts == 1 && std::is_integral_v<Port>) return port;
  const unsigned lsb = index * width;
  unsigned __int128 bits = 0;
  const size_t first = lsb / 8;
  std::memcpy(&bits, reinterpret_cast<const uint8_t*>(&port) + first,
              std::min<size_t>(sizeof(Port) - first, (lsb % 8 + width + 7) / 8));
  bits >>= lsb % 8;
  return static_cast<uint64_t>(bits & ((static_cast<unsigned __int128>(1) << width) - 1));
}

template <typename Port>
void setField(Port& port, unsigned index, unsigned width, uint8_t value) {
  static_assert(std::is_integral_v<Port>);
  if constexpr (kAxiPorts == 1) {
    port = value;
  } else {
    const unsigned lsb = index * width;
    const auto mask = static_cast<Port>(((1u << width) - 1) << lsb);
    port = static_cast<Port>((port & ~mask) | (unsigned{value} << lsb & mask));
  }
}

void applyPort(Vvta& top, const VtaAxiPort& p, unsigned i) {
  setField(top.m_axi_arready_i, i, 1, p.arready);
  setField(top.m_axi_rid_i, i, 2, p.rid);
  using Data = std::remove_reference_t<decltype(top.m_axi_rdata_i)>;
  static_assert(std::is_trivially_copyable_v<Data>);
  std::memcpy(reinterpret_cast<uint8_t*>(&top.m_axi_rdata_i) + size_t{i} * kDataBytes, p.rdata,
              kDataBytes);
  setField(top.m_axi_rresp_i, i, 2, p.rresp);
  setField(top.m_axi_rlast_i, i, 1, p.rlast);
  setField(top.m_axi_rvalid_i, i, 1, p.rvalid);
  setField(top.m_axi_awready_i, i, 1, p.awready);
  setField(top.m_axi_wready_i, i, 1, p.wready);
  setField(top.m_axi_bid_i, i, 2, p.bid);
  setField(top.m_axi_bresp_i, i, 2, p.bresp);
  setField(top.m_axi_bvalid_i, i, 1, p.bvalid);
}

void readStrobes(const Vvta& top, VtaAxiPort& p, unsigned i) {
  if constexpr (kDataBytes < 8) {
    p.wstrb[0] = fieldOf(top.m_axi_wstrb_o, i, kDataBytes);
  } else {
    constexpr unsigned kStrobeBytes = kDataBytes / 8;
    std::memcpy(p.wstrb,
                reinterpret_cast<const uint8_t*>(&top.m_axi_wstrb_o) + size_t{i} * kStrobeBytes,
                kStrobeBytes);
  }
}

void readPort(const Vvta& top, VtaAxiPort& p, unsigned i) {
  const auto byte = [i](const auto& port, unsigned width) {
    return static_cast<uint8_t>(fieldOf(port, i, width));
  };
  p.arvalid = byte(top.m_axi_arvalid_o, 1);
  p.rready = byte(top.m_axi_rready_o, 1);
  p.awvalid = byte(top.m_axi_awvalid_o, 1);
  p.wvalid = byte(top.m_axi_wvalid_o, 1);
  p.bready = byte(top.m_axi_bready_o, 1);
  if (p.arvalid) {
    p.arid = byte(top.m_axi_arid_o, 2);
    p.araddr = fieldOf(top.m_axi_araddr_o, i, kAddrBits);
    p.arlen = byte(top.m_axi_arlen_o, 8);
    p.arsize = byte(top.m_axi_arsize_o, 3);
    p.arburst = byte(top.m_axi_arburst_o, 2);
  }
  if (p.awvalid) {
    p.awid = byte(top.m_axi_awid_o, 2);
    p.awaddr = fieldOf(top.m_axi_awaddr_o, i, kAddrBits);
    p.awlen = byte(top.m_axi_awlen_o, 8);
    p.awsize = byte(top.m_axi_awsize_o, 3);
    p.awburst = byte(top.m_axi_awburst_o, 2);
  }
  if (p.wvalid) {
    std::memcpy(p.wdata,
                reinterpret_cast<const uint8_t*>(&top.m_axi_wdata_o) + size_t{i} * kDataBytes,
                kDataBytes);
    readStrobes(top, p, i);
    p.wlast = byte(top.m_axi_wlast_o, 1);
  }
}

void applyInputs(Vvta& top, const VtaModelPorts& p) {
  top.rst_ni = p.rst_n;
  top.s_axil_awaddr_i = p.axil_awaddr;
  top.s_axil_awvalid_i = p.axil_awvalid;
  top.s_axil_wdata_i = p.axil_wdata;
  top.s_axil_wstrb_i = p.axil_wstrb;
  top.s_axil_wvalid_i = p.axil_wvalid;
  top.s_axil_bready_i = p.axil_bready;
  top.s_axil_araddr_i = p.axil_araddr;
  top.s_axil_arvalid_i = p.axil_arvalid;
  top.s_axil_rready_i = p.axil_rready;
  for (unsigned i = 0; i < kAxiPorts; ++i) applyPort(top, p.axi[i], i);
}

void readOutputs(const Vvta& top, VtaModelPorts& p) {
  p.irq = top.irq_o;
  p.running = top.running_o;
  p.retire_valid = top.retire_valid_o;
  std::memcpy(p.retire_number, &top.retire_number_o, sizeof(p.retire_number));
  p.axil_awready = top.s_axil_awready_o;
  p.axil_wready = top.s_axil_wready_o;
  p.axil_bresp = top.s_axil_bresp_o;
  p.axil_bvalid = top.s_axil_bvalid_o;
  p.axil_arready = top.s_axil_arready_o;
  p.axil_rdata = top.s_axil_rdata_o;
  p.axil_rresp = top.s_axil_rresp_o;
  p.axil_rvalid = top.s_axil_rvalid_o;
  for (unsigned i = 0; i < kAxiPorts; ++i) readPort(top, p.axi[i], i);
}

void dump(VtaModel& model) {
#if VM_TRACE_FST
  if (model.waves) model.waves->dump(model.time);
#endif
  ++model.time;
}

#ifdef VTA_MODEL_PROBE
uint32_t storageBytes(const VerilatedVar& var) {
  switch (var.vltype()) {
    case VLVT_UINT8:
      return 1;
    case VLVT_UINT16:
      return 2;
    case VLVT_UINT32:
      return 4;
    case VLVT_UINT64:
      return 8;
    default:
      return static_cast<uint32_t>((var.packed().elements() + 31) / 32 * 4);
  }
}

// The RAMs whose instance path holds `part`, in the order of the last index in their paths.
std::vector<Ram> ramsOf(VtaModel& model, const std::string& part) {
  std::map<int, Ram> found;
  for (const auto& [name, scope] : *model.context.scopeNameMap()) {
    const std::string path = std::string(scope->name()) + ".";
    const VerilatedVar* var = scope->varFind("mem_q");
    if (var == nullptr || path.find(part) == std::string::npos) continue;
    const size_t bracket = path.rfind('[');
    const int bank = bracket == std::string::npos ? 0 : std::atoi(path.c_str() + bracket + 1);
    found[bank] = {static_cast<const uint8_t*>(var->datap()), storageBytes(*var)};
  }
  std::vector<Ram> rams;
  for (const auto& [bank, ram] : found) rams.push_back(ram);
  return rams;
}

void findBanks(VtaModel& model) {
  model.banks[VTA_PROBE_UOP] = ramsOf(model, ".u_uop_gemm.");
  model.banks[VTA_PROBE_WGT] = ramsOf(model, ".u_wgt.");
  model.banks[VTA_PROBE_INP] = ramsOf(model, ".u_inp.");
  model.banks[VTA_PROBE_ACC] = ramsOf(model, "].u_acc.");
  model.banks[VTA_PROBE_OUT] = ramsOf(model, "].u_out.");
}

void findStarts(VtaModel& model) {
  constexpr const char* kProbes[VTA_PROBE_STARTS] = {".u_load_started", ".u_compute_started",
                                                     ".u_store_started", ".u_dispatched"};
  for (const auto& [name, scope] : *model.context.scopeNameMap()) {
    for (int i = 0; i < VTA_PROBE_STARTS; ++i) {
      if (std::string(scope->name()).find(kProbes[i]) == std::string::npos) continue;
      model.starts[i] = {static_cast<const uint8_t*>(scope->varFind("valid")->datap()),
                         static_cast<const uint32_t*>(scope->varFind("number")->datap())};
    }
  }
}
#endif

VtaModel* create(uint32_t random_seed) {
  auto model = std::make_unique<VtaModel>();
  VerilatedContext& context = model->context;
  context.randReset(random_seed == 0 ? 0 : 2);
  context.randSeed(static_cast<int>(random_seed));
  context.fatalOnError(false);
#if VM_TRACE_FST
  context.traceEverOn(true);
#endif
  model->top = std::make_unique<Vvta>(&context, "core");
#ifdef VTA_MODEL_PROBE
  findBanks(*model);
  findStarts(*model);
#endif
  return model.release();
}

// Verilator keeps the current instance's context in the thread: assertions and destructors use it.
void enter(VtaModel& model) { Verilated::threadContextp(&model.context); }

void destroy(VtaModel* model) {
  enter(*model);
#if VM_TRACE_FST
  if (model->waves) model->waves->close();
#endif
  model->top->final();
  delete model;
  // The context is gone; a thread's is never null.
  static VerilatedContext none;
  Verilated::threadContextp(&none);
}

VtaModelPorts* ports(VtaModel* model) { return &model->ports; }

// One edge of clk_i; where the model has a clock of twice its frequency, that rises with both.
void setClock(VtaModel& model, bool high) {
#ifdef VTA_MODEL_CLOCK_2X
  const bool changes = model.top->clk_i != high;
  model.top->clk_i = high;
  model.top->clk2x_i = changes;
  model.top->eval();
  model.top->clk2x_i = 0;
#else
  model.top->clk_i = high;
#endif
  model.top->eval();
}

void settle(VtaModel* model) {
  enter(*model);
  applyInputs(*model->top, model->ports);
  setClock(*model, false);
  readOutputs(*model->top, model->ports);
  dump(*model);
}

void edge(VtaModel* model) {
  enter(*model);
  setClock(*model, true);
  dump(*model);
  if (model->context.gotError() && model->failure.empty()) {
    model->failure = "an assertion of the RTL failed; its text is on the standard output";
  }
}

int openWaves(VtaModel* model, const char* path) {
#if VM_TRACE_FST
  if (!model->waves) {
    model->waves = std::make_unique<VerilatedFstC>();
    model->top->trace(model->waves.get(), 99);
  }
  model->waves->open(path);
  return model->waves->isOpen() ? 0 : 1;
#else
  static_cast<void>(model);
  static_cast<void>(path);
  return 1;
#endif
}

void closeWaves(VtaModel* model) {
#if VM_TRACE_FST
  if (model->waves) model->waves->close();
#else
  static_cast<void>(model);
#endif
}

uint32_t probe(VtaModel* model, int memory, uint32_t index, uint32_t word) {
#ifdef VTA_MODEL_PROBE
  const std::vector<Ram>& banks = model->banks[memory];
  if (banks.empty()) return 0;
  const Ram& ram = banks[index % banks.size()];
  const size_t at = index / banks.size() * size_t{ram.row_bytes} + size_t{word} * 4;
  uint32_t value = 0;
  std::memcpy(&value, ram.data + at, std::min<uint32_t>(4, ram.row_bytes - word * 4));
  return value;
#else
  static_cast<void>(model);
  static_cast<void>(memory);
  static_cast<void>(index);
  static_cast<void>(word);
  return 0;
#endif
}

void probeStarts(VtaModel* model, VtaModelStarts* starts) {
  *starts = {};
#ifdef VTA_MODEL_PROBE
  for (int i = 0; i < VTA_PROBE_STARTS; ++i) {
    starts->valid[i] = *model->starts[i].valid;
    starts->number[i] = *model->starts[i].number;
  }
#else
  static_cast<void>(model);
#endif
}

int writeCoverage(VtaModel* model, const char* path) {
#if VM_COVERAGE
  model->context.coveragep()->write(path);
  return 0;
#else
  static_cast<void>(model);
  static_cast<void>(path);
  return 1;
#endif
}

const char* failure(VtaModel* model) {
  return model->failure.empty() ? nullptr : model->failure.c_str();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const VtaModelApi* vta_model_api() {
  static const VtaModelApi api = {VTA_MODEL_ABI, kDataBytes,  kAxiPorts,     create,    destroy,
                                  ports,         settle,      edge,          openWaves, closeWaves,
                                  probe,         probeStarts, writeCoverage, failure};
  return &api;
}
