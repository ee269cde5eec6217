// ONNX Runtime's functions for C++: its errors are exceptions, what it gives out has an owner.
#pragma once

#include <onnxruntime_c_api.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "api/include/vta/vta.hpp"

namespace vta::ort {

/// The name by which ONNX Runtime knows the execution provider.
inline constexpr const char* kProviderName = "VtaExecutionProvider";
/// The oldest ONNX Runtime, 1.N, that has all functions that are used here.
inline constexpr uint32_t kOldestMinor = 23;

/// An object of ONNX Runtime that is released with its owner.
template <typename T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

/// The tables of functions of one ONNX Runtime. They live as long as it does; copies are cheap.
class Ort {
 public:
  /// Asks for the newest tables that both sides know. Throws api::Error when the runtime is too
  /// old.
  explicit Ort(const OrtApiBase& base);

  const OrtApi& operator*() const { return *api_; }
  const OrtApi* operator->() const { return api_; }
  const OrtEpApi& provider() const { return *api_->GetEpApi(); }
  const OrtModelEditorApi& editor() const { return *api_->GetModelEditorApi(); }
  /// The version of the tables: what structures that are given to the runtime say about themselves.
  uint32_t version() const { return version_; }

  /// Throws what a function of ONNX Runtime reports.
  void check(OrtStatus* status) const;
  /// Runs `body`; what it throws becomes a status of ONNX Runtime.
  template <typename Body>
  OrtStatus* guarded(Body&& body) const noexcept {
    try {
      body();
      return nullptr;
    } catch (const api::Error& error) {
      return status(error.status(), error.what());
    } catch (const std::exception& error) {
      return status(VTA_INTERNAL, error.what());
    }
  }

  /// A list that one function counts and another one fills, as Graph_GetNumNodes and
  /// Graph_GetNodes.
  template <typename T, typename Object, typename Count, typename Fill>
  std::vector<T> list(const Object* object, Count count, Fill fill) const {
    size_t size = 0;
    check(count(object, &size));
    std::vector<T> all(size);
    if (size > 0) check(fill(object, all.data(), size));
    return all;
  }

  /// What `query`, a function with one result, gives.
  template <typename T, typename Object, typename Query>
  T get(const Object* object, Query query) const {
    T result{};
    check(query(object, &result));
    return result;
  }

  /// Writes a line to the log of a session.
  void warn(const OrtLogger* logger, const std::string& text) const;

 private:
  OrtStatus* status(vta_status code, const char* message) const noexcept;

  const OrtApi* api_ = nullptr;
  uint32_t version_ = 0;
};

}  // namespace vta::ort
