// A library with the functions of libcuda.so.1 that the driver uses, for machines without NVIDIA's.
// It runs no PTX: a text says in a comment what its kernel does, "// add 1000", and the library has
// these kernels in C++. Each stream has a thread of its own, which runs its launches and copies one
// after the other, so that the host has to wait for them as for a GPU. A log says in which order
// kernels and copies began and ended.
//
// FAKE_CUDA_INIT: what cuInit returns.
// FAKE_CUDA_LINK: what its compiler returns, if not success.
// FAKE_CUDA_GRAPH: what making a graph returns, if not success.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Code = int;
using DevicePointer = unsigned long long;  // NOLINT(google-runtime-int): the interface's type
using TimePoint = std::chrono::steady_clock::time_point;

constexpr Code kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNoBinaryForGpu = 209,
               kInvalidPtx = 218, kNotFound = 500, kNotReady = 600, kIllegalAddress = 700;
constexpr size_t kMemoryBytes = size_t{1} << 28;
constexpr int kPrimaryContext = 1;

/// What has been launched, and a thread that does it.
class Worker {
 public:
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void add(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    queue_.push_back(std::move(work));
    changed_.notify_all();
  }

  void finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.empty(); });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return is_over_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const std::function<void()> work = queue_.front();
      lock.unlock();
      work();
      lock.lock();
      queue_.pop_front();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;  // the first one runs
  bool is_over_ = false;
  std::thread thread_;
};

struct FakeFunction {
  std::string name;
  uint32_t number = 0;  // behind the name in the text
};
struct FakeModule {
  FakeFunction function;
};
/// What turns texts into code, which is the text behind "cubin ".
struct FakeLinker {
  std::string code;
  char* log = nullptr;
};
/// Launches, while the stream is recorded and as a graph; and how often it was launched.
using Launches = std::vector<std::function<void()>>;
struct FakeStream {
  bool is_recorded = false;
  Launches launches;
  Worker worker;
};
struct FakeGraph {
  Launches launches;
};
int graph_launches = 0;

struct FakeEvent {
  std::mutex mutex;
  bool is_recorded = true;
  TimePoint time;
};

struct Driver {
  std::mutex mutex;
  std::map<DevicePointer, size_t> buffers;
  size_t used_bytes = 0;
  Code fault = kSuccess;  // stays
  FakeStream default_stream;
  std::set<FakeStream*> streams;
  std::string log;
};

Driver& driver() {
  static Driver instance;
  return instance;
}

FakeStream& streamOf(void* stream) {
  return stream == nullptr ? driver().default_stream : *static_cast<FakeStream*>(stream);
}

void finishAll() {
  std::set<FakeStream*> streams;
  {
    const std::lock_guard lock(driver().mutex);
    streams = driver().streams;
  }
  driver().default_stream.worker.finish();
  for (FakeStream* stream : streams) stream->worker.finish();
}

void addToLog(const std::string& text) {
  const std::lock_guard lock(driver().mutex);
  driver().log += text + "\n";
}

uint32_t* wordsAt(DevicePointer pointer) { return reinterpret_cast<uint32_t*>(pointer); }

/// Runs a kernel on so many invocations.
void runKernel(const FakeFunction& kernel, const std::vector<DevicePointer>& p,
               uint32_t invocations) {
  if (kernel.name == "add") {
    for (uint32_t i = 0; i < std::min(kernel.number, invocations); ++i) {
      wordsAt(p[2])[i] = wordsAt(p[0])[i] + wordsAt(p[1])[i];
    }
  } else if (kernel.name == "add_bytes") {
    const auto* a = reinterpret_cast<const uint8_t*>(p[0]);
    const auto* b = reinterpret_cast<const uint8_t*>(p[1]);
    auto* out = reinterpret_cast<uint8_t*>(p[2]);
    for (uint32_t i = 0; i < std::min(kernel.number, invocations); ++i) {
      out[i] = static_cast<uint8_t>(a[i] + b[i]);
    }
  } else if (kernel.name == "reverse") {
    for (uint32_t i = 0; i < invocations; ++i) {
      wordsAt(p[1])[i] = wordsAt(p[0])[i / 64 * 64 + 63 - i % 64];
    }
  } else if (kernel.name == "count") {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // as slow as a small GPU
    volatile uint32_t* value = wordsAt(p[0]);
    for (uint32_t i = 0; i < kernel.number; ++i) *value = *value + 1;
  } else {
    const std::lock_guard lock(driver().mutex);
    driver().fault = kIllegalAddress;
  }
}

size_t parametersOf(const FakeFunction& kernel) {
  if (kernel.name == "add" || kernel.name == "add_bytes") return 3;
  return kernel.name == "reverse" ? 2 : 1;
}

Code currentFault() {
  const std::lock_guard lock(driver().mutex);
  return driver().fault;
}

}  // namespace

extern "C" {

Code cuInit(unsigned /*flags*/) {
  const char* code = std::getenv("FAKE_CUDA_INIT");
  return code == nullptr ? kSuccess : std::atoi(code);
}
Code cuDriverGetVersion(int* version) {
  *version = 12040;
  return kSuccess;
}
Code cuGetErrorString(Code code, const char** text) {
  static const std::map<Code, const char*> kTexts = {
      {kInvalidValue, "invalid argument"},
      {kOutOfMemory, "out of memory"},
      {34, "CUDA driver is a stub library"},
      {100, "no CUDA-capable device is detected"},
      {kNoBinaryForGpu, "no kernel image is available for execution on the device"},
      {kInvalidPtx, "a PTX JIT compilation failed"},
      {kNotFound, "named symbol not found"},
      {kIllegalAddress, "an illegal memory access"}};
  const auto found = kTexts.find(code);
  if (found == kTexts.end()) return kInvalidValue;
  *text = found->second;
  return kSuccess;
}
Code cuDeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}
Code cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return kSuccess;
}
Code cuDeviceGetName(char* name, int length, int /*device*/) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(length));
  return kSuccess;
}
Code cuDeviceTotalMem_v2(size_t* bytes, int /*device*/) {
  *bytes = kMemoryBytes;
  return kSuccess;
}
Code cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
  static const std::map<int, int> kValues = {{1, 1024},       {2, 1024},  {3, 1024},  {4, 64},
                                             {5, 2147483647}, {6, 65535}, {7, 65535}, {8, 49152},
                                             {10, 32},        {75, 7},    {76, 5}};
  const auto found = kValues.find(attribute);
  *value = found == kValues.end() ? 0 : found->second;
  return kSuccess;
}
Code cuDevicePrimaryCtxRetain(void** context, int /*device*/) {
  *context = reinterpret_cast<void*>(static_cast<uintptr_t>(kPrimaryContext));
  return kSuccess;
}
Code cuDevicePrimaryCtxRelease_v2(int /*device*/) {
  finishAll();
  const std::lock_guard lock(driver().mutex);
  driver().fault = kSuccess;
  return kSuccess;
}
Code cuCtxSetCurrent(void* /*context*/) { return kSuccess; }

Code cuLinkCreate_v2(unsigned count, int* options, void** values, void** linker) {
  constexpr int kErrorLog = 5;
  auto* made = new FakeLinker();
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == kErrorLog) made->log = static_cast<char*>(values[i]);
  }
  *linker = made;
  return kSuccess;
}
Code cuLinkAddData_v2(void* linker, int type, void* data, size_t size, const char* /*name*/,
                      unsigned /*count*/, int* /*options*/, void** /*values*/) {
  constexpr int kPtx = 1;
  auto* made = static_cast<FakeLinker*>(linker);
  const std::string text(static_cast<const char*>(data), size - 1);
  if (type != kPtx || !text.starts_with(".version")) {
    std::strcpy(made->log, "line 1: no version");
    return kInvalidPtx;
  }
  made->code = "cubin " + text;
  return kSuccess;
}
Code cuLinkComplete(void* linker, void** code, size_t* size) {
  if (const char* code_of_link = std::getenv("FAKE_CUDA_LINK")) return std::atoi(code_of_link);
  auto* made = static_cast<FakeLinker*>(linker);
  *code = made->code.data();
  *size = made->code.size() + 1;
  return kSuccess;
}
Code cuLinkDestroy(void* linker) {
  delete static_cast<FakeLinker*>(linker);
  return kSuccess;
}
Code cuModuleLoadDataEx(void** module, const void* image, unsigned /*count*/, int* /*options*/,
                        void** /*values*/) {
  std::istringstream text(static_cast<const char*>(image));
  std::string word;
  FakeFunction function;
  text >> word;
  if (word != "cubin") return kNoBinaryForGpu;
  while (text >> word && word != "//") {
  }
  text >> function.name >> function.number;
  *module = new FakeModule{function};
  return kSuccess;
}
Code cuModuleUnload(void* module) {
  delete static_cast<FakeModule*>(module);
  return kSuccess;
}
Code cuModuleGetFunction(void** function, void* module, const char* name) {
  FakeFunction& there = static_cast<FakeModule*>(module)->function;
  if (there.name != name) return kNotFound;
  *function = &there;
  return kSuccess;
}

Code cuMemAlloc_v2(DevicePointer* pointer, size_t bytes) {
  constexpr size_t kAlignmentBytes = 512;
  const std::lock_guard lock(driver().mutex);
  if (bytes > kMemoryBytes - driver().used_bytes) return kOutOfMemory;
  *pointer = reinterpret_cast<DevicePointer>(std::aligned_alloc(
      kAlignmentBytes, (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes));
  driver().buffers[*pointer] = bytes;
  driver().used_bytes += bytes;
  return kSuccess;
}
Code cuMemFree_v2(DevicePointer pointer) {
  finishAll();
  const std::lock_guard lock(driver().mutex);
  const auto found = driver().buffers.find(pointer);
  if (found == driver().buffers.end()) return kInvalidValue;
  driver().used_bytes -= found->second;
  driver().buffers.erase(found);
  std::free(reinterpret_cast<void*>(pointer));
  return kSuccess;
}
Code cuMemsetD8Async(DevicePointer pointer, unsigned char value, size_t bytes, void* stream) {
  if (const Code fault = currentFault(); fault != kSuccess) return fault;
  streamOf(stream).worker.add([=] { std::memset(reinterpret_cast<void*>(pointer), value, bytes); });
  return kSuccess;
}
Code cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, size_t bytes, void* stream) {
  if (const Code fault = currentFault(); fault != kSuccess) return fault;
  streamOf(stream).worker.add([=] {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    addToLog("copied to the GPU");
  });
  return kSuccess;
}
Code cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t bytes, void* stream) {
  if (const Code fault = currentFault(); fault != kSuccess) return fault;
  streamOf(stream).worker.add([=] {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    addToLog("copied from the GPU");
  });
  return kSuccess;
}
Code cuStreamSynchronize(void* stream) {
  streamOf(stream).worker.finish();
  return currentFault();
}

Code cuEventCreate(void** event, unsigned /*flags*/) {
  *event = new FakeEvent();
  return kSuccess;
}
Code cuEventDestroy_v2(void* event) {
  finishAll();
  delete static_cast<FakeEvent*>(event);
  return kSuccess;
}
Code cuEventRecord(void* event, void* stream) {
  auto* recorded = static_cast<FakeEvent*>(event);
  {
    const std::lock_guard lock(recorded->mutex);
    recorded->is_recorded = false;
  }
  streamOf(stream).worker.add([recorded] {
    const std::lock_guard lock(recorded->mutex);
    recorded->is_recorded = true;
    recorded->time = std::chrono::steady_clock::now();
  });
  return kSuccess;
}
Code cuEventQuery(void* event) {
  auto* asked = static_cast<FakeEvent*>(event);
  const std::lock_guard lock(asked->mutex);
  return asked->is_recorded ? currentFault() : kNotReady;
}
Code cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  const auto time_of = [](void* event) { return static_cast<FakeEvent*>(event)->time; };
  *milliseconds = std::chrono::duration<float, std::milli>(time_of(end) - time_of(begin)).count();
  return kSuccess;
}

Code cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                    unsigned block_x, unsigned block_y, unsigned block_z, unsigned /*shared_bytes*/,
                    void* stream, void** parameters, void** /*extra*/) {
  const FakeFunction kernel = *static_cast<FakeFunction*>(function);
  std::vector<DevicePointer> pointers;
  for (size_t i = 0; i < parametersOf(kernel); ++i) {
    pointers.push_back(*static_cast<DevicePointer*>(parameters[i]));
  }
  const uint32_t invocations = grid_x * grid_y * grid_z * block_x * block_y * block_z;
  const auto launch = [=] {
    addToLog(kernel.name + " began");
    runKernel(kernel, pointers, invocations);
    addToLog(kernel.name + " ended");
  };
  if (FakeStream& recorded = streamOf(stream); recorded.is_recorded) {
    recorded.launches.push_back(launch);
    return kSuccess;
  }
  streamOf(stream).worker.add(launch);
  return currentFault();
}

Code cuStreamCreate(void** stream, unsigned /*flags*/) {
  auto* made = new FakeStream();
  const std::lock_guard lock(driver().mutex);
  driver().streams.insert(made);
  *stream = made;
  return kSuccess;
}
Code cuStreamDestroy_v2(void* stream) {
  finishAll();
  {
    const std::lock_guard lock(driver().mutex);
    driver().streams.erase(static_cast<FakeStream*>(stream));
  }
  delete static_cast<FakeStream*>(stream);
  return kSuccess;
}
Code cuStreamBeginCapture_v2(void* stream, int /*mode*/) {
  static_cast<FakeStream*>(stream)->is_recorded = true;
  return kSuccess;
}
Code cuStreamEndCapture(void* stream, void** graph) {
  auto* recorded = static_cast<FakeStream*>(stream);
  recorded->is_recorded = false;
  *graph = new FakeGraph{std::exchange(recorded->launches, {})};
  return kSuccess;
}
Code cuGraphInstantiateWithFlags(void** ready, void* graph, DevicePointer /*flags*/) {
  if (const char* code = std::getenv("FAKE_CUDA_GRAPH")) return std::atoi(code);
  *ready = new FakeGraph(*static_cast<FakeGraph*>(graph));
  return kSuccess;
}
Code cuGraphLaunch(void* ready, void* stream) {
  ++graph_launches;
  for (const auto& launch : static_cast<FakeGraph*>(ready)->launches) {
    streamOf(stream).worker.add(launch);
  }
  return currentFault();
}
Code cuGraphExecDestroy(void* ready) {
  finishAll();
  delete static_cast<FakeGraph*>(ready);
  return kSuccess;
}
Code cuGraphDestroy(void* graph) {
  delete static_cast<FakeGraph*>(graph);
  return kSuccess;
}
/// Not of CUDA: for tests.
int fakeCudaGraphLaunches() { return graph_launches; }
/// A line for each kernel that began or ended, and for each copy, since it was emptied last.
const char* fakeCudaLog() {
  static std::string text;  // of the last call
  const std::lock_guard lock(driver().mutex);
  text = driver().log;
  return text.c_str();
}
int fakeCudaEmptyLog() {
  const std::lock_guard lock(driver().mutex);
  driver().log.clear();
  return 0;
}
size_t fakeCudaUsedBytes() {
  const std::lock_guard lock(driver().mutex);
  return driver().used_bytes;
}

}  // extern "C"
