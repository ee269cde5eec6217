// The C++ interface of the VTA runtime: the C interface (vta.h) with owners, containers and
// exceptions. It is a header only, so it works with any compiler and standard library from C++17
// on; the library's binary interface is that of C.
#ifndef VTA_VTA_HPP
#define VTA_VTA_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <vta/vta.h>

namespace vta::api {

/// Why a call failed. what() is the library's message.
class Error : public std::runtime_error {
 public:
  /// `message` says what was wrong with what the caller gave, and what would be right.
  Error(vta_status status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  /// The code, for programs that treat some errors in another way.
  vta_status status() const { return status_; }

 private:
  vta_status status_;
};

namespace detail {
inline void check(vta_status status) {
  if (status != VTA_OK) throw Error(status, vta_error_message());
}
struct Release {
  void operator()(vta_module* handle) const { vta_module_release(handle); }
  void operator()(vta_device* handle) const { vta_device_release(handle); }
  void operator()(vta_session* handle) const { vta_session_release(handle); }
  void operator()(vta_tokenizer* handle) const { vta_tokenizer_release(handle); }
  void operator()(vta_buffer* handle) const { vta_buffer_release(handle); }
  void operator()(vta_commands* handle) const { vta_commands_release(handle); }
};
}  // namespace detail

/// An input or output of a module.
struct TensorInfo {
  std::string name;               ///< of the model
  vta_dtype dtype = VTA_FLOAT32;  ///< of each element
  /// Extents, the outermost first; of the largest output where its size depends on data.
  std::vector<int64_t> shape;
  size_t size_bytes = 0;  ///< of all elements, without padding
};

/// A layer of the model, and where it runs.
struct LayerInfo {
  std::string name;  ///< of its node in the model
  /// "conv2d", "add", ...
  std::string op;
  std::string where;   ///< the machine that runs it: "vta", "cpu", ...
  std::string reason;  ///< why it is not on the VTA, or where its schedule comes from
  int64_t macs = 0;    ///< multiply-accumulates
};

struct CompileOptions;

/// Loads a shared library with operators of your own (vta/operator.h), for modules that call them
/// and are loaded afterwards. It is native code: load only what you trust.
inline void loadOperators(const std::string& path) {
  detail::check(vta_operators_load(path.c_str()));
}

/// A compiled model. Copies share it.
class Module {
 public:
  /// Loads the file that vta-compile wrote. A module is native code: load only what you trust.
  explicit Module(const std::string& path) {
    vta_module* handle = nullptr;
    detail::check(vta_module_load(path.c_str(), &handle));
    handle_.reset(handle, detail::Release{});
  }
  /// The same from memory.
  Module(const void* data, size_t size_bytes) {
    vta_module* handle = nullptr;
    detail::check(vta_module_load_memory(data, size_bytes, &handle));
    handle_.reset(handle, detail::Release{});
  }

  /// The name of the model that it was compiled from.
  std::string model() const { return vta_module_model(get()); }
  /// Empty when nothing runs on a VTA.
  std::string hardware() const { return vta_module_hardware(get()); }

  /// In the order of Session::setInput.
  std::vector<TensorInfo> inputs() const {
    return tensors(vta_module_input_count(get()), vta_module_input);
  }
  /// In the order of Session::output.
  std::vector<TensorInfo> outputs() const {
    return tensors(vta_module_output_count(get()), vta_module_output);
  }
  /// In the order of the model, whatever machine runs them.
  std::vector<LayerInfo> layers() const {
    std::vector<LayerInfo> all;
    for (size_t i = 0; i < vta_module_layer_count(get()); ++i) {
      vta_layer_info info{};
      detail::check(vta_module_layer(get(), i, &info));
      all.push_back({info.name, info.op, info.where, info.reason, info.macs});
    }
    return all;
  }

  /// For functions of the C interface; stays the module's.
  vta_module* get() const { return handle_.get(); }

 private:
  friend Module compile(const std::string& model, const CompileOptions& options);
  explicit Module(vta_module* handle) : handle_(handle, detail::Release{}) {}

  template <typename Query>
  std::vector<TensorInfo> tensors(size_t count, Query query) const {
    std::vector<TensorInfo> all;
    for (size_t i = 0; i < count; ++i) {
      vta_tensor_info info{};
      detail::check(query(get(), i, &info));
      all.push_back({info.name, info.dtype, {info.shape, info.shape + info.rank}, info.size_bytes});
    }
    return all;
  }

  std::shared_ptr<vta_module> handle_;
};

/// How compile() works.
struct CompileOptions {
  /// Options of vta-compile as on its command line: {"--hw", "wide", "--calibrate", "images"}.
  std::vector<std::string> arguments;
  std::string output;  ///< where the module's file stays; empty: nowhere
  /// Called with each line that the compiler prints. What it throws leaves compile(), when the
  /// compiler has ended.
  std::function<void(const std::string&)> progress;
};

/// Compiles an ONNX file by the program vta-compile. Errors: those of vta_compile.
inline Module compile(const std::string& model, const CompileOptions& options = {}) {
  struct Progress {
    const CompileOptions& options;
    std::exception_ptr thrown;
    // Nothing may be thrown through the C interface.
    static void tell(const char* line, void* context) noexcept {
      auto& self = *static_cast<Progress*>(context);
      if (self.thrown || !self.options.progress) return;
      try {
        self.options.progress(line);
      } catch (...) {
        self.thrown = std::current_exception();
      }
    }
  };
  Progress progress{options, nullptr};
  std::vector<const char*> arguments;
  for (const std::string& argument : options.arguments) arguments.push_back(argument.c_str());
  vta_compile_options given;
  vta_compile_options_init(&given);
  given.arguments = arguments.data();
  given.argument_count = arguments.size();
  given.output = options.output.empty() ? nullptr : options.output.c_str();
  given.progress = &Progress::tell;
  given.context = &progress;
  vta_module* handle = nullptr;
  const vta_status status = vta_compile(model.c_str(), &given, &handle);
  Module module(handle);
  if (progress.thrown) std::rethrow_exception(progress.thrown);
  detail::check(status);
  return module;
}

/// Something that runs programs. Copies share it; sessions on one device take turns.
class Device {
 public:
  /// For the accelerator that `module` was compiled for; `spec` as for vta_device_create.
  explicit Device(const Module& module, const std::string& spec = "functional") {
    vta_device* handle = nullptr;
    detail::check(vta_device_create(spec.c_str(), module.get(), &handle));
    handle_.reset(handle, detail::Release{});
  }
  /// For the accelerator of a YAML file.
  static Device forConfiguration(const std::string& file, const std::string& spec = "functional") {
    vta_device* handle = nullptr;
    detail::check(vta_device_create_for(spec.c_str(), file.c_str(), &handle));
    Device device;
    device.handle_.reset(handle, detail::Release{});
    return device;
  }
  /// Names of the kinds of devices that there are.
  static std::vector<std::string> kinds() {
    std::vector<std::string> names;
    for (size_t i = 0; i < vta_device_kind_count(); ++i)
      names.emplace_back(vta_device_kind_name(i));
    return names;
  }

  /// With what tells it from others of its kind.
  std::string name() const { return vta_device_name(get()); }
  /// The accelerator that it is, by the name of its configuration.
  std::string hardware() const { return vta_device_hardware(get()); }
  /// For functions of the C interface; stays the device's.
  vta_device* get() const { return handle_.get(); }

 private:
  Device() = default;
  std::shared_ptr<vta_device> handle_;
};

/// Text as numbers of tokens, and back.
class Tokenizer {
 public:
  /// tokenizer.json of Hugging Face, or tokenizer.bin of llama2.c. Throws when it is neither.
  explicit Tokenizer(const std::string& path) {
    vta_tokenizer* handle = nullptr;
    detail::check(vta_tokenizer_load(path.c_str(), &handle));
    handle_.reset(handle);
  }

  /// How many tokens there are.
  int64_t size() const { return vta_tokenizer_size(get()); }
  /// Those of `text`, and those in front that begin every text.
  std::vector<int64_t> encode(const std::string& text) const {
    const int64_t* tokens = nullptr;
    size_t count = 0;
    detail::check(vta_tokenizer_encode(get(), text.c_str(), &tokens, &count));
    return {tokens, tokens + count};
  }
  /// The text of tokens.
  std::string decode(const std::vector<int64_t>& tokens) const {
    const char* text = nullptr;
    detail::check(vta_tokenizer_decode(get(), tokens.data(), tokens.size(), &text));
    return text;
  }

  /// For functions of the C interface; stays the tokenizer's.
  vta_tokenizer* get() const { return handle_.get(); }

 private:
  std::unique_ptr<vta_tokenizer, detail::Release> handle_;
};

class Session;

/// How a text is made.
struct GenerateOptions {
  int64_t max_tokens = 256;        ///< behind the prompt, at most
  double temperature = 0;          ///< divides the scores of tokens; 0: always the likeliest one
  int64_t top_k = 0;               ///< choose among so many of the likeliest; 0: all
  double top_p = 1;                ///< choose among the likeliest with this probability together
  uint64_t seed = 1;               ///< chooses the text
  std::vector<std::string> stops;  ///< texts that end the text
  /// Gets each piece of the text, in whole characters, as it is made.
  std::function<void(const char* piece)> show;
  /// Guess so many tokens and check them in one run: the same text with fewer runs.
  int64_t speculate = 0;
  /// A session of a small model with the same tokenizer, which guesses instead of the text itself.
  /// Forgets what it has read.
  Session* draft = nullptr;
};

/// A text that was made.
struct Generation {
  std::string text;                ///< behind the prompt
  std::string end;                 ///< why it ended: "end" token, "stop", "length", "capacity"
  int64_t prompt_tokens = 0;       ///< those that were read first
  int64_t tokens = 0;              ///< behind the prompt
  double seconds = 0;              ///< wall time
  double first_token_seconds = 0;  ///< of that, until the first token was known
  uint64_t prompt_cycles = 0;      ///< of the accelerator, until then
  uint64_t cycles = 0;             ///< of the accelerator, for the tokens behind it
};

/// How a session runs its module.
struct SessionOptions {
  /// Before the first run, run every layer by itself: a row of the profile for each.
  bool per_layer = false;
  bool verify = false;  ///< compare every layer of the VTA with its reference; implies per_layer
  int num_threads = 0;  ///< 0: one for each processor
  std::chrono::milliseconds timeout{0};  ///< of one launch; 0: ten minutes
  /// Which GPU runs what the module has for one: its number in the list of vta-info, a part of its
  /// name, or an interface; empty: the first one.
  std::string gpu{};
};

/// A module on a device. One run at a time.
class Session {
 public:
  /// Keeps the module and the device. Throws when the device cannot run the module's programs.
  Session(const Module& module, const Device& device, const SessionOptions& options = {})
      : Session(module, device.get(), options) {}
  /// Of a module that runs nothing on a VTA.
  explicit Session(const Module& module, const SessionOptions& options = {})
      : Session(module, nullptr, options) {}

  /// Copies an input. Throws when its size is not the input's.
  void setInput(size_t index, const void* data, size_t size_bytes) {
    detail::check(vta_session_set_input(get(), index, data, size_bytes));
  }
  /// The same with the bytes of `elements`, in row-major order.
  template <typename T>
  void setInput(size_t index, const std::vector<T>& elements) {
    setInput(index, elements.data(), elements.size() * sizeof(T));
  }

  /// Runs the module once. Throws when an input is missing, the device faults or a launch takes too
  /// long.
  void run() { detail::check(vta_session_run(get())); }

  /// Runs in the background. wait() throws what run() would; false: the time is over, wait again.
  void start() { detail::check(vta_session_start(get())); }
  /// Waits at most `timeout` for what start() began. False: it goes on, and only wait() may be
  /// called.
  bool wait(std::chrono::milliseconds timeout) {
    const auto count = static_cast<uint64_t>(timeout.count() > 0 ? timeout.count() : 0);
    const vta_status status = vta_session_wait(get(), count);
    if (status == VTA_DEADLINE_EXCEEDED) return false;
    detail::check(status);
    return true;
  }
  /// Waits as long as it takes.
  void wait() {
    while (!wait(std::chrono::hours(1))) {
    }
  }

  /// The shape of an output of the last run; its size may depend on data.
  std::vector<int64_t> outputShape(size_t index) const {
    const int64_t* shape = nullptr;
    size_t rank = 0;
    detail::check(vta_session_output_shape(get(), index, &shape, &rank));
    return {shape, shape + rank};
  }
  /// A copy of an output of the last run. Throws when its bytes are no whole number of elements.
  template <typename T>
  std::vector<T> output(size_t index) const {
    const void* data = nullptr;
    size_t size_bytes = 0;
    detail::check(vta_session_output(get(), index, &data, &size_bytes));
    if (size_bytes % sizeof(T) != 0)
      throw Error(VTA_INVALID_ARGUMENT, "the output has other elements");
    std::vector<T> elements(size_bytes / sizeof(T));
    if (size_bytes > 0) std::memcpy(elements.data(), data, size_bytes);
    return elements;
  }

  /// Forgets what earlier runs have left in a module that keeps state from run to run.
  void clearState() { detail::check(vta_session_clear_state(get())); }

  /// The words of a text that the session has read; 0 of a module that keeps none.
  int64_t textLength() const { return vta_session_text_length(get()); }
  /// What earlier runs have left, for any session of the same module.
  std::vector<char> saveState() {
    const void* data = nullptr;
    size_t size_bytes = 0;
    detail::check(vta_session_save_state(get(), &data, &size_bytes));
    const char* bytes = static_cast<const char*>(data);
    return {bytes, bytes + size_bytes};
  }
  /// Goes on from there. Throws when the state is another module's.
  void loadState(const std::vector<char>& state) {
    detail::check(vta_session_load_state(get(), state.data(), state.size()));
  }
  /// Another session on the same device, which goes on from where this one is.
  Session fork() {
    vta_session* handle = nullptr;
    detail::check(vta_session_fork(get(), &handle));
    return Session(handle);
  }

  /// Reads `prompt` behind what it has read, and makes a text. Throws when the module keeps no text
  /// or has no room for the prompt.
  Generation generate(const Tokenizer& tokenizer, const std::string& prompt,
                      const GenerateOptions& given = {}) {
    vta_generate_options options;
    vta_generate_options_init(&options);
    options.max_tokens = given.max_tokens;
    options.temperature = given.temperature;
    options.top_k = given.top_k;
    options.top_p = given.top_p;
    options.seed = given.seed;
    options.speculate = given.speculate;
    options.draft = given.draft == nullptr ? nullptr : given.draft->get();
    std::vector<const char*> stops;
    for (const std::string& stop : given.stops) stops.push_back(stop.c_str());
    options.stops = stops.data();
    options.stop_count = stops.size();
    if (given.show) {
      options.show = [](const char* piece, void* context) {
        (*static_cast<const std::function<void(const char*)>*>(context))(piece);
      };
      options.context = const_cast<std::function<void(const char*)>*>(&given.show);
    }
    vta_generation made;
    detail::check(vta_generate(get(), tokenizer.get(), prompt.c_str(), &options, &made));
    return {made.text,          made.end,     made.prompt_tokens,
            made.tokens,        made.seconds, made.first_token_seconds,
            made.prompt_cycles, made.cycles};
  }

  /// A row for each launch of the last run, or for each layer with per_layer.
  std::vector<vta_profile_row> profile() const {
    std::vector<vta_profile_row> rows(vta_session_profile_count(get()));
    for (size_t i = 0; i < rows.size(); ++i) detail::check(vta_session_profile(get(), i, &rows[i]));
    return rows;
  }
  /// Of the cycles of the run, those of a row of the profile; they add up to cycles().
  uint64_t cyclesInRun(size_t row) const { return vta_session_profile_cycles_in_run(get(), row); }
  /// Of the host_seconds of a row of the profile, those of copies between memories.
  double copySeconds(size_t row) const { return vta_session_profile_copy_seconds(get(), row); }
  /// Wall time of the last run.
  double seconds() const { return vta_session_seconds(get()); }
  /// Of the last run on the accelerator; 0 on devices without timing.
  uint64_t cycles() const { return vta_session_cycles(get()); }
  /// Of the accelerator at its clock; 0 on devices without timing.
  double milliseconds() const {
    const double mhz = vta_session_clock_mhz(get());
    return mhz > 0 ? static_cast<double>(cycles()) / (1000 * mhz) : 0;
  }

  /// For functions of the C interface; stays the session's.
  vta_session* get() const { return handle_.get(); }

 private:
  explicit Session(vta_session* handle) : handle_(handle) {}
  Session(const Module& module, vta_device* device, const SessionOptions& given) {
    vta_session_options options;
    vta_session_options_init(&options);
    options.per_layer = given.per_layer ? 1 : 0;
    options.verify = given.verify ? 1 : 0;
    options.num_threads = given.num_threads;
    options.timeout_ms = static_cast<uint64_t>(given.timeout.count());
    options.gpu = given.gpu.c_str();
    vta_session* handle = nullptr;
    detail::check(vta_session_create(module.get(), device, &options, &handle));
    handle_.reset(handle);
  }
  std::unique_ptr<vta_session, detail::Release> handle_;
};

/// Memory of a device, for what instructions load and store.
class Buffer {
 public:
  /// Allocates, with zeros. Throws when the device has no room.
  Buffer(const Device& device, size_t size_bytes) : size_bytes_(size_bytes) {
    vta_buffer* handle = nullptr;
    detail::check(vta_buffer_create(device.get(), size_bytes, &handle));
    handle_.reset(handle);
  }
  /// Copies bytes to the buffer, from `offset_bytes` on. Throws when they do not fit.
  void write(const void* data, size_t size_bytes, size_t offset_bytes = 0) {
    detail::check(vta_buffer_write(get(), offset_bytes, data, size_bytes));
  }
  /// Copies bytes of the buffer, from `offset_bytes` on. Throws when it has not so many.
  void read(void* data, size_t size_bytes, size_t offset_bytes = 0) const {
    detail::check(vta_buffer_read(get(), offset_bytes, data, size_bytes));
  }
  /// As it was allocated.
  size_t sizeBytes() const { return size_bytes_; }
  /// For functions of the C interface; stays the buffer's.
  vta_buffer* get() const { return handle_.get(); }

 private:
  size_t size_bytes_;
  std::unique_ptr<vta_buffer, detail::Release> handle_;
};

/// Instructions of one launch, issued one after the other. What each call checks, and what run()
/// proves, throws as an Error.
class Commands {
 public:
  /// For this device.
  explicit Commands(const Device& device) {
    vta_commands* handle = nullptr;
    detail::check(vta_commands_create(device.get(), &handle));
    handle_.reset(handle);
  }
  /// Rows of a buffer into a memory.
  void load(const vta_transfer& transfer) { detail::check(vta_commands_load(get(), &transfer)); }
  /// Rows of OUT into a buffer.
  void store(const vta_transfer& transfer) { detail::check(vta_commands_store(get(), &transfer)); }
  /// Products that are added to ACC.
  void gemm(const vta_compute& compute) { detail::check(vta_commands_gemm(get(), &compute)); }
  /// An operation on ACC.
  void alu(const vta_compute& compute) { detail::check(vta_commands_alu(get(), &compute)); }
  /// The newest instruction of `from` sends a token to `to`.
  void push(vta_unit from, vta_unit to) { detail::check(vta_commands_push(get(), from, to)); }
  /// The next instruction of `to` waits for a token of `from`.
  void pop(vta_unit from, vta_unit to) { detail::check(vta_commands_pop(get(), from, to)); }
  /// Proves and runs what was issued; returns its cycles, 0 from devices without timing.
  uint64_t run(std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) {
    uint64_t cycles = 0;
    detail::check(vta_commands_run(get(), static_cast<uint64_t>(timeout.count()), &cycles));
    return cycles;
  }
  /// For functions of the C interface; stays these commands'.
  vta_commands* get() const { return handle_.get(); }

 private:
  std::unique_ptr<vta_commands, detail::Release> handle_;
};

}  // namespace vta::api

#endif
