#include "compiler/codegen/backend.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace vta::codegen {
namespace {

class Registry {
 public:
  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  void add(const Backend& backend) {
    const std::lock_guard lock(mutex_);
    const auto same_name = [&](const Backend* known) { return known->name() == backend.name(); };
    if (std::ranges::any_of(backends_, same_name)) return;
    const auto behind = backend.isOptional()
                            ? backends_.end()
                            : std::ranges::find_if(backends_, &Backend::isOptional);
    backends_.insert(behind, &backend);
  }
  void remove(const Backend& backend) {
    const std::lock_guard lock(mutex_);
    std::erase(backends_, &backend);
  }
  std::vector<const Backend*> all() const {
    const std::lock_guard lock(mutex_);
    return backends_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<const Backend*> backends_;
};

}  // namespace

void CompiledCode::addObjects(std::vector<std::vector<std::byte>> objects) {
  for (std::vector<std::byte>& object : objects) {
    blobs.push_back({.kind = CodeBlob::Kind::kObject, .bytes = std::move(object)});
  }
}

std::vector<std::span<const std::byte>> CompiledCode::objects() const {
  std::vector<std::span<const std::byte>> objects;
  for (const CodeBlob& blob : blobs) {
    if (blob.kind == CodeBlob::Kind::kObject) objects.emplace_back(blob.bytes);
  }
  return objects;
}

void registerBackend(const Backend& backend) { Registry::instance().add(backend); }
void unregisterBackend(const Backend& backend) { Registry::instance().remove(backend); }

std::vector<const Backend*> registeredBackends() { return Registry::instance().all(); }

std::vector<const Backend*> usedBackends(std::string_view chosen) {
  std::vector<const Backend*> used;
  for (const Backend* backend : registeredBackends()) {
    if (!backend->isOptional() || backend->name() == chosen) used.push_back(backend);
  }
  return used;
}

const Backend* findBackend(std::string_view name) {
  for (const Backend* backend : registeredBackends()) {
    if (backend->name() == name) return backend;
  }
  return nullptr;
}

Result<const Backend*> defaultBackend() {
  const std::vector<const Backend*> backends = registeredBackends();
  if (backends.empty()) return internalError("no back end for the host is registered");
  return backends.front();
}

}  // namespace vta::codegen
