// YAML texts as trees, by yaml-cpp.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <optional>
#include <sstream>
#include <string>

#include "base/yaml_section.h"

namespace vta {
namespace {

/// Remembers where a document begins.
class DocumentStart final : public YAML::EventHandler {
 public:
  const YAML::Mark& mark() const { return mark_; }

  void OnDocumentStart(const YAML::Mark& mark) override { mark_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  YAML::Mark mark_;
};

/// Where the second document begins, if there is one. YAML::LoadAll would tell, too, but on some
/// broken texts it finds documents without end.
std::optional<YAML::Mark> secondDocument(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart start;
  if (!parser.HandleNextDocument(start) || !parser.HandleNextDocument(start)) return std::nullopt;
  return start.mark();
}

}  // namespace

Result<YAML::Node> loadYaml(std::string_view text, std::string_view source) {
  try {  // yaml-cpp reports syntax errors no other way
    const std::string copy(text);
    const YAML::Node document = YAML::Load(copy);
    const std::optional<YAML::Mark> second = secondDocument(copy);
    if (!second) return document;
    return invalidArgument(
        fmt::format("{}:{}:{}: a second YAML document begins; the file must have one", source,
                    second->line + 1, second->column + 1));
  } catch (const YAML::Exception& error) {
    return invalidArgument(fmt::format("{}:{}:{}: not valid YAML: {}", source, error.mark.line + 1,
                                       error.mark.column + 1, error.msg));
  }
}

}  // namespace vta
