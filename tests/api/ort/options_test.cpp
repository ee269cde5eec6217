#include "api/ort/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta::ort {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string errorOf(const Entries& entries) {
  try {
    readOptions(entries);
    return "";
  } catch (const api::Error& error) {
    EXPECT_EQ(error.status(), VTA_INVALID_ARGUMENT);
    return error.what();
  }
}

TEST(ProviderOptions, DefaultsAreTheFunctionalSimulatorAndNoContext) {
  const Options options = readOptions({{"session.record_ep_graph_assignment_info", "1"}});
  EXPECT_THAT(options.arguments, IsEmpty());
  EXPECT_FALSE(options.has_partition);
  EXPECT_EQ(options.device, "functional");
  EXPECT_FALSE(options.context.is_enabled);
}

TEST(ProviderOptions, OptionsOfTheCompilerAreForwarded) {
  const Options options = readOptions({{"ep.vtaexecutionprovider.hw", "wide"},
                                       {"ep.vtaexecutionprovider.partition", "vta"},
                                       {"ep.vtaexecutionprovider.calibrate", "images"}});
  EXPECT_THAT(options.arguments, ElementsAre("--hw", "wide", "--partition", "vta"));
  EXPECT_TRUE(options.has_partition);
  EXPECT_THAT(options.calibration, ElementsAre("--calibrate", "images"));
}

TEST(ProviderOptions, SessionsGetTheirOptions) {
  const Options options = readOptions({{"ep.vtaexecutionprovider.device", "cycle"},
                                       {"ep.vtaexecutionprovider.gpu", "vulkan"},
                                       {"ep.vtaexecutionprovider.threads", "3"},
                                       {"ep.vtaexecutionprovider.timeout_seconds", "20"},
                                       {"ep.context_enable", "1"},
                                       {"ep.context_embed_mode", "1"},
                                       {"ep.context_file_path", "a.onnx"},
                                       {"ep.context_node_name_prefix", "left_"}});
  EXPECT_EQ(options.device, "cycle");
  EXPECT_EQ(options.session.gpu, "vulkan");
  EXPECT_EQ(options.session.num_threads, 3);
  EXPECT_EQ(options.session.timeout, std::chrono::seconds(20));
  EXPECT_TRUE(options.context.is_enabled);
  EXPECT_TRUE(options.context.embeds);
  EXPECT_EQ(options.context.file, "a.onnx");
  EXPECT_EQ(options.context.prefix, "left_");
}

TEST(ProviderOptions, OptionThatDoesNotExistIsNamedWithTheOnesThatDo) {
  const std::string error = errorOf({{"ep.vtaexecutionprovider.calibrat", "images"}});
  EXPECT_THAT(error, HasSubstr("no option 'calibrat'; did you mean calibrate?"));
  EXPECT_THAT(error, HasSubstr("timeout_seconds"));
}

TEST(ProviderOptions, NumbersAreChecked) {
  for (const char* text : {"", "-1", "two", "1.5", "99999999999"}) {
    EXPECT_THAT(errorOf({{"ep.vtaexecutionprovider.threads", text}}),
                HasSubstr("give a whole number of at least 0"))
        << text;
  }
}

}  // namespace
}  // namespace vta::ort
