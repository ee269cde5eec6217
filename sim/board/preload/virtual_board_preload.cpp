// Preloaded into a process that drives a virtual board (docs/boards.md). Files of the board's
// folder that need a driver behind them get one: the UIO device (open, mmap, flock), the attributes
// that maintain caches (write), the one that programs the FPGA (write), and the render node of zocl
// (ioctl, mmap). Everything else is plain files. An access of the mapped registers faults; the
// handler decodes the load or store and has the board's process do it.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sim/board/preload/zocl_calls.h"
#include "sim/board/protocol.h"

namespace {

using vta::sim::BoardChannel;
using vta::sim::BoardReply;
using vta::sim::BoardRequest;

/// What a descriptor of the board stands for.
enum class Role : uint8_t { kNone, kUio, kSyncForDevice, kSyncForCpu, kFirmware, kZocl };

constexpr int kMaxDescriptors = 1024;
Role roles[kMaxDescriptors];
int lock_files[kMaxDescriptors];         // of kUio: the real file, which has the lock
bool lacks_interrupt[kMaxDescriptors];   // of kUio: the kernel does not take writes
uint64_t buffer_bytes[kMaxDescriptors];  // of kZocl: of its buffer, 0 when there is none

struct Window {
  std::atomic<char*> begin{nullptr};
  size_t size = 0;
  uint64_t offset = 0;  // of its first register on the board
};
constexpr int kMaxWindows = 8;
Window windows[kMaxWindows];
struct sigaction old_action;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/// The connection for requests, once it is needed: of this process, to the board of this folder.
struct Connection {
  int descriptor = -1;
  pid_t process = 0;
  char folder[PATH_MAX] = {};
};
Connection requests;

template <typename Function>
Function* real(Function* /*type*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

const char* boardFolder() { return getenv(vta::sim::kBoardVariable); }

int connectToBoard(BoardChannel channel) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const int length = snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", boardFolder(),
                              vta::sim::kBoardSocket);
  if (length >= static_cast<int>(sizeof(address.sun_path))) return -1;
  const int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  const bool connected =
      connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
      send(descriptor, &channel, sizeof(channel), MSG_NOSIGNAL) == sizeof(channel);
  if (connected) return descriptor;
  close(descriptor);
  return -1;
}

/// The connection for requests; -1 when there is no board.
int requestConnection() {
  const char* const folder = boardFolder();
  if (folder == nullptr) return -1;
  const bool is_same = requests.descriptor >= 0 && requests.process == getpid() &&
                       strncmp(requests.folder, folder, sizeof(requests.folder)) == 0;
  if (is_same) return requests.descriptor;
  if (requests.descriptor >= 0) close(requests.descriptor);
  requests.descriptor = connectToBoard(BoardChannel::kRequests);
  requests.process = getpid();
  snprintf(requests.folder, sizeof(requests.folder), "%s", folder);
  return requests.descriptor;
}

/// Asks the board's process. Where that is gone, the bus answers with ones, as it often does.
BoardReply ask(const BoardRequest& request) {
  const BoardReply gone = {~uint32_t{0}, EIO};
  BoardReply reply;
  pthread_mutex_lock(&mutex);
  const int connection = requestConnection();
  const bool answered =
      connection >= 0 &&
      send(connection, &request, sizeof(request), MSG_NOSIGNAL) == sizeof(request) &&
      recv(connection, &reply, sizeof(reply), 0) == sizeof(reply);
  pthread_mutex_unlock(&mutex);
  return answered ? reply : gone;
}

/// A 32-bit move between a register of the processor and memory.
struct Move {
  bool is_store = false;
  int processor_register = 0;
  bool is_immediate = false;
  uint32_t immediate = 0;
  int length = 0;  // of the instruction; 0: something else
};

/// MOV r32, m32 (8B), MOV m32, r32 (89) and MOV m32, imm32 (C7 /0) of x86-64.
Move decodeMove(const uint8_t* at) {
  const uint8_t* const begin = at;
  Move move;
  uint8_t rex = 0;
  if ((*at & 0xf0) == 0x40) rex = *at++;
  const uint8_t opcode = *at++;
  const uint8_t modrm = *at++;
  const int mod = modrm >> 6;
  const int rm = modrm & 7;
  const bool known = opcode == 0x8b || opcode == 0x89 || (opcode == 0xc7 && (modrm & 0x38) == 0);
  if (!known || (rex & 8) != 0 || mod == 3) return move;
  const bool has_sib = rm == 4;
  const int base = has_sib ? *at++ & 7 : rm;
  if (mod == 1) at += 1;
  if (mod == 2 || (mod == 0 && base == 5)) at += 4;
  if (opcode == 0xc7) {
    memcpy(&move.immediate, at, sizeof(move.immediate));
    at += sizeof(move.immediate);
    move.is_immediate = true;
  }
  move.is_store = opcode != 0x8b;
  move.processor_register = (modrm >> 3 & 7) | (rex & 4) << 1;
  move.length = static_cast<int>(at - begin);
  return move;
}

/// Where the context keeps a register, by its number in instructions.
greg_t& registerOf(ucontext_t& context, int number) {
  constexpr int kPlaces[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                             REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                             REG_R12, REG_R13, REG_R14, REG_R15};
  return context.uc_mcontext.gregs[kPlaces[number]];
}

void doMove(const Move& move, uint64_t offset, ucontext_t& context) {
  BoardRequest request;
  request.offset = offset;
  if (move.is_store) {
    request.kind = BoardRequest::Kind::kWriteRegister;
    request.value = move.is_immediate
                        ? move.immediate
                        : static_cast<uint32_t>(registerOf(context, move.processor_register));
    ask(request);
  } else {
    registerOf(context, move.processor_register) = ask(request).value;  // clears the upper half
  }
  context.uc_mcontext.gregs[REG_RIP] += move.length;
}

void handleFault(int signal_number, siginfo_t* info, void* context_pointer) {
  auto* const address = static_cast<char*>(info->si_addr);
  auto& context = *static_cast<ucontext_t*>(context_pointer);
  for (Window& window : windows) {
    char* const begin = window.begin;
    if (begin == nullptr || address < begin || address >= begin + window.size) continue;
    const Move move = decodeMove(std::bit_cast<const uint8_t*>(context.uc_mcontext.gregs[REG_RIP]));
    if (move.length == 0) {
      constexpr char kText[] = "virtual board: registers are accessed by plain 32-bit moves only\n";
      static_cast<void>(!write(STDERR_FILENO, kText, sizeof(kText) - 1));
      abort();
    }
    const int saved_errno = errno;
    doMove(move, window.offset + static_cast<uint64_t>(address - begin), context);
    errno = saved_errno;
    return;
  }
  // Not the board's: it happens again, and is handled as if this library were not there.
  sigaction(signal_number, &old_action, nullptr);
}

bool installHandler() {
  struct sigaction action = {};
  action.sa_sigaction = handleFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  return sigaction(SIGSEGV, &action, &old_action) == 0;
}

Role roleOf(const char* path) {
  const char* const folder = boardFolder();
  if (folder == nullptr || path == nullptr) return Role::kNone;
  const size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0 || path[length] != '/') return Role::kNone;
  const char* const rest = path + length;
  if (strncmp(rest, "/dev/uio", 8) == 0) return Role::kUio;
  if (strcmp(rest, "/dev/dri/renderD128") == 0) return Role::kZocl;
  if (strcmp(rest, "/sys/class/fpga_manager/fpga0/firmware") == 0) return Role::kFirmware;
  if (strncmp(rest, "/sys/class/u-dma-buf/", 21) != 0) return Role::kNone;
  const char* const name = strrchr(rest, '/') + 1;
  if (strcmp(name, "sync_for_device") == 0) return Role::kSyncForDevice;
  if (strcmp(name, "sync_for_cpu") == 0) return Role::kSyncForCpu;
  return Role::kNone;
}

bool isOurs(int descriptor) {
  return descriptor >= 0 && descriptor < kMaxDescriptors && roles[descriptor] != Role::kNone;
}

bool hasBoardFile(const char* name) {
  char path[PATH_MAX];
  snprintf(path, sizeof(path), "%s/%s", boardFolder(), name);
  return access(path, F_OK) == 0;
}

/// What the board has in place of the file `descriptor` of this path. The file itself stays: its
/// permissions have been checked, and it has the locks.
int openOurs(int descriptor, const char* path) {
  if (descriptor < 0 || descriptor >= kMaxDescriptors) return descriptor;
  const Role role = roleOf(path);
  if (role != Role::kUio) {
    roles[descriptor] = role;
    buffer_bytes[descriptor] = 0;
    return descriptor;
  }
  const int connection = connectToBoard(BoardChannel::kInterrupts);
  if (connection < 0 || connection >= kMaxDescriptors) {
    close(descriptor);
    errno = ENODEV;
    return -1;
  }
  roles[connection] = role;
  lock_files[connection] = descriptor;
  lacks_interrupt[connection] = hasBoardFile(vta::sim::kBoardNoInterrupt);
  return connection;
}

/// 0, or the errno of what went wrong.
int synchronise(bool is_for_device, uint64_t offset, uint64_t size_bytes) {
  BoardRequest request;
  request.kind =
      is_for_device ? BoardRequest::Kind::kSyncForDevice : BoardRequest::Kind::kSyncForCpu;
  request.offset = offset;
  request.size_bytes = size_bytes;
  return ask(request).error;
}

int64_t writeAttribute(Role role, const void* data, size_t size) {
  char text[32] = {};
  memcpy(text, data, size < sizeof(text) - 1 ? size : sizeof(text) - 1);
  const uint64_t command = strtoull(text, nullptr, 0);
  const int error = synchronise(role == Role::kSyncForDevice, command >> 32, command & 0xfffffff0u);
  if (error == 0) return static_cast<int64_t>(size);
  errno = error;
  return -1;
}

/// Programs the FPGA: the attribute, which is a plain file, holds the name of a bitstream.
int64_t writeFirmware(int64_t written) {
  BoardRequest request;
  request.kind = BoardRequest::Kind::kProgram;
  const int error = written < 0 ? errno : ask(request).error;
  if (error == 0) return written;
  errno = error;
  return -1;
}

/// A number that a file of the board holds; 0 when it has none.
uint64_t numberIn(const char* name) {
  char path[PATH_MAX];
  char text[32] = {};
  snprintf(path, sizeof(path), "%s/%s", boardFolder(), name);
  FILE* const file = fopen(path, "r");
  if (file == nullptr) return 0;
  const char* const line = fgets(text, sizeof(text), file);
  fclose(file);
  return line == nullptr ? 0 : strtoull(text, nullptr, 0);
}

/// zocl with one buffer for each open file, which begins where the board's memory does. Returns 0
/// or an errno.
int controlZocl(int descriptor, uint32_t request, void* argument) {
  constexpr uint32_t kHandle = 1;
  using namespace vta::sim;
  uint64_t& bytes = buffer_bytes[descriptor];
  switch (withoutSize(request)) {
    case kZoclCreate: {
      auto& create = *static_cast<ZoclCreate*>(argument);
      const bool is_cacheable = (create.flags & 1u << 24) != 0;
      if (sizeOf(request) != sizeof(create) || create.size == 0 || !is_cacheable) return EINVAL;
      if (bytes != 0 || create.size > numberIn("sys/class/u-dma-buf/udmabuf0/size")) return ENOMEM;
      bytes = create.size;
      create.handle = kHandle;
      return 0;
    }
    case kZoclMap: {
      auto& map = *static_cast<ZoclMap*>(argument);
      if (sizeOf(request) != sizeof(map) || map.handle != kHandle || bytes == 0) return EINVAL;
      map.offset = kZoclMapOffset;
      return 0;
    }
    case kZoclInfo: {
      auto& info = *static_cast<ZoclInfo*>(argument);
      if (sizeOf(request) != sizeof(info) || info.handle != kHandle || bytes == 0) return EINVAL;
      info.size = bytes;
      info.address = numberIn("sys/class/u-dma-buf/udmabuf0/phys_addr");
      return 0;
    }
    case kZoclSync: {
      const auto& sync = *static_cast<const ZoclSync*>(argument);
      const bool fits = sync.size <= bytes && sync.offset <= bytes - sync.size;
      if (sizeOf(request) != sizeof(sync) || sync.handle != kHandle || !fits) return EINVAL;
      return synchronise(sync.direction == 0, sync.offset, sync.size);
    }
    default:
      return ENOTTY;
  }
}

/// UIO takes the number of a map as its offset in pages; the board has its maps behind one another.
void* mapRegisters(size_t size, off_t offset) {
  static const bool installed = installHandler();
  for (Window& window : windows) {
    if (!installed || window.begin != nullptr) continue;
    void* const data = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return data;
    window.size = size;
    window.offset = static_cast<uint64_t>(offset);
    window.begin = static_cast<char*>(data);
    return data;
  }
  errno = ENOMEM;
  return MAP_FAILED;
}

/// The file that u-dma-buf's memory is, for the buffer of zocl: they are the same memory.
int openMemory() {
  char path[PATH_MAX];
  snprintf(path, sizeof(path), "%s/dev/udmabuf0", boardFolder());
  static auto* const next = real(static_cast<int (*)(const char*, int, ...)>(nullptr), "open");
  return next(path, O_RDWR | O_CLOEXEC);
}

}  // namespace

// The functions of the C library that drivers call.
extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = creates ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  static auto* const next = real(static_cast<int (*)(const char*, int, ...)>(nullptr), "open");
  const int descriptor = next(path, flags, mode);
  return roleOf(path) == Role::kNone ? descriptor : openOurs(descriptor, path);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int close(int descriptor) {
  static auto* const next = real(static_cast<int (*)(int)>(nullptr), "close");
  if (isOurs(descriptor)) {
    if (roles[descriptor] == Role::kUio) next(lock_files[descriptor]);
    roles[descriptor] = Role::kNone;
  }
  return next(descriptor);
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  static auto* const next =
      real(static_cast<ssize_t (*)(int, const void*, size_t, off_t)>(nullptr), "pwrite");
  const bool is_plain = !isOurs(descriptor) || roles[descriptor] == Role::kUio ||
                        roles[descriptor] == Role::kFirmware;
  if (is_plain) {
    return next(descriptor, data, size, offset);
  }
  return writeAttribute(roles[descriptor], data, size);
}

ssize_t write(int descriptor, const void* data, size_t size) {
  static auto* const next =
      real(static_cast<ssize_t (*)(int, const void*, size_t)>(nullptr), "write");
  if (!isOurs(descriptor)) return next(descriptor, data, size);
  if (roles[descriptor] == Role::kUio && lacks_interrupt[descriptor]) {
    errno = EIO;
    return -1;
  }
  if (roles[descriptor] == Role::kFirmware) return writeFirmware(next(descriptor, data, size));
  // A board that is gone must not end the process with SIGPIPE.
  if (roles[descriptor] == Role::kUio) return send(descriptor, data, size, MSG_NOSIGNAL);
  return writeAttribute(roles[descriptor], data, size);
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  static auto* const next = real(static_cast<int (*)(int, unsigned long, ...)>(nullptr), "ioctl");
  if (!isOurs(descriptor) || roles[descriptor] != Role::kZocl) {
    return next(descriptor, request, argument);
  }
  const int error = controlZocl(descriptor, static_cast<uint32_t>(request), argument);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int flock(int descriptor, int operation) {
  static auto* const next = real(static_cast<int (*)(int, int)>(nullptr), "flock");
  const bool is_uio = isOurs(descriptor) && roles[descriptor] == Role::kUio;
  return next(is_uio ? lock_files[descriptor] : descriptor, operation);
}

void* mmap(void* address, size_t size, int protection, int flags, int descriptor, off_t offset) {
  static auto* const next =
      real(static_cast<void* (*)(void*, size_t, int, int, int, off_t)>(nullptr), "mmap");
  if (isOurs(descriptor) && roles[descriptor] == Role::kUio) return mapRegisters(size, offset);
  if (!isOurs(descriptor) || roles[descriptor] != Role::kZocl) {
    return next(address, size, protection, flags, descriptor, offset);
  }
  const bool is_buffer =
      offset == static_cast<off_t>(vta::sim::kZoclMapOffset) && size <= buffer_bytes[descriptor];
  const int memory = is_buffer ? openMemory() : -1;
  if (memory < 0) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  void* const mapped = next(address, size, protection, flags, memory, 0);
  close(memory);
  return mapped;
}

void* mmap64(void* address, size_t size, int protection, int flags, int descriptor, off_t offset)
    __attribute__((alias("mmap")));

int munmap(void* address, size_t size) {
  static auto* const next = real(static_cast<int (*)(void*, size_t)>(nullptr), "munmap");
  for (Window& window : windows) {
    if (window.begin == address) window.begin = nullptr;
  }
  return next(address, size);
}

}  // extern "C"
