// The library as a runtime of another version sees it.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnxruntime_c_api.h>

#include <cstring>
#include <string>

struct OrtStatus {
  std::string message;
};

namespace vta::ort {
namespace {

using testing::HasSubstr;

const char* runtime_version = "";
uint32_t asked_version = 0;

const OrtApi* tablesOf(uint32_t version) noexcept {
  static OrtApi api = [] {
    OrtApi made;
    std::memset(static_cast<void*>(&made), 0, sizeof(made));
    made.CreateStatus = [](OrtErrorCode, const char* message) noexcept {
      return new OrtStatus{message};
    };
    return made;
  }();
  if (version != 1) asked_version = version;
  return &api;
}

class PluginTest : public testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen(VTA_BINARY_DIR "/lib/libvta_ort.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    create_ = reinterpret_cast<CreateEpApiFactoriesFn>(dlsym(library_, "CreateEpFactories"));
    release_ = reinterpret_cast<ReleaseEpApiFactoryFn>(dlsym(library_, "ReleaseEpFactory"));
    ASSERT_TRUE(create_ != nullptr && release_ != nullptr);
  }
  void TearDown() override { dlclose(library_); }

  /// What the library says to a runtime of this version; empty when it makes a factory.
  std::string answerTo(const char* version) {
    runtime_version = version;
    asked_version = 0;
    const OrtApiBase base = {tablesOf, []() noexcept { return runtime_version; }};
    OrtEpFactory* factory = nullptr;
    size_t count = 7;
    OrtStatus* status = create_("vta", &base, nullptr, &factory, 1, &count);
    EXPECT_EQ(count, status == nullptr ? 1U : 0U);
    if (status == nullptr) {
      offered_version_ = factory->ort_version_supported;
      EXPECT_STREQ(factory->GetName(factory), "VtaExecutionProvider");
      EXPECT_EQ(release_(factory), nullptr);
      return "";
    }
    const std::string message = status->message;
    delete status;
    return message;
  }

  void* library_ = nullptr;
  CreateEpApiFactoriesFn create_ = nullptr;
  ReleaseEpApiFactoryFn release_ = nullptr;
  uint32_t offered_version_ = 0;
};

TEST_F(PluginTest, RuntimeThatIsTooOldIsTold) {
  for (const char* version : {"1.22.1", "1.9.0", "nonsense", ""}) {
    EXPECT_THAT(answerTo(version), HasSubstr("needs ONNX Runtime 1.23 or later")) << version;
  }
}

TEST_F(PluginTest, OlderAndNewerRuntimesGetTheVersionThatBothKnow) {
  EXPECT_EQ(answerTo("1.23.0"), "");
  EXPECT_EQ(asked_version, 23U);
  EXPECT_EQ(offered_version_, 23U);
  EXPECT_EQ(answerTo("1.99.3"), "");
  EXPECT_EQ(asked_version, uint32_t{ORT_API_VERSION});
}

}  // namespace
}  // namespace vta::ort
