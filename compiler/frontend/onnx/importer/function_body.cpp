#include "compiler/frontend/onnx/importer/function_body.h"

#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <string>

namespace vta::compiler {
namespace {

using Attributes = std::map<std::string, const onnx::AttributeProto*>;

std::string_view domainOf(const std::string& domain) {
  return domain == "ai.onnx" ? std::string_view() : std::string_view(domain);
}

/// A text in a field of a newer version of the message than this one; empty if it is absent.
std::string unknownText(const google::protobuf::UnknownFieldSet& fields, int number) {
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    const bool is_text = field.number() == number &&
                         field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED;
    if (is_text) return field.length_delimited();
  }
  return "";
}

/// Which of several functions of one name a call means (IR version 10).
std::string overloadOf(const onnx::NodeProto& call) {
  return unknownText(call.unknown_fields(), 8);
}

/// Attributes with defaults, field 11 of newer versions of FunctionProto than this one.
std::list<onnx::AttributeProto> defaultAttributes(const onnx::FunctionProto& function) {
  constexpr int kAttributeProtoField = 11;
  std::list<onnx::AttributeProto> attributes;
  const auto& fields = function.unknown_fields();
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    const bool is_attribute = field.number() == kAttributeProtoField &&
                              field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED;
    onnx::AttributeProto attribute;
    if (is_attribute && attribute.ParseFromString(field.length_delimited())) {
      attributes.push_back(std::move(attribute));
    }
  }
  return attributes;
}

/// What a call means for the nodes of the function.
struct Substitution {
  Attributes attributes;          // of the call, by name
  std::set<std::string> missing;  // inputs that the call leaves out
};

void substitute(onnx::GraphProto& graph, const Substitution& call);

void substitute(onnx::NodeProto& node, const Substitution& call) {
  for (std::string& input : *node.mutable_input()) {
    if (call.missing.contains(input)) input.clear();
  }
  auto& attributes = *node.mutable_attribute();
  for (int i = attributes.size(); i-- > 0;) {
    onnx::AttributeProto& attribute = attributes[i];
    if (!attribute.ref_attr_name().empty()) {
      const auto given = call.attributes.find(attribute.ref_attr_name());
      if (given == call.attributes.end()) {
        attributes.DeleteSubrange(i, 1);
        continue;
      }
      const std::string name = attribute.name();
      attribute = *given->second;
      attribute.set_name(name);
      continue;
    }
    if (attribute.has_g()) substitute(*attribute.mutable_g(), call);
    for (auto& graph : *attribute.mutable_graphs()) substitute(graph, call);
  }
}

void substitute(onnx::GraphProto& graph, const Substitution& call) {
  for (auto& node : *graph.mutable_node()) substitute(node, call);
}

}  // namespace

std::string overloadOf(const onnx::FunctionProto& function) {
  return unknownText(function.unknown_fields(), 13);
}

const onnx::FunctionProto* findFunction(const onnx::ModelProto& model,
                                        const onnx::NodeProto& call) {
  const auto found = std::ranges::find_if(model.functions(), [&](const auto& function) {
    return function.name() == call.op_type() &&
           domainOf(function.domain()) == domainOf(call.domain()) &&
           overloadOf(function) == overloadOf(call);
  });
  return found == model.functions().end() ? nullptr : &*found;
}

onnx::GraphProto functionBody(const onnx::FunctionProto& function, const onnx::NodeProto& call) {
  Substitution substitution;
  const auto defaults = defaultAttributes(function);
  for (const auto& attribute : defaults) substitution.attributes[attribute.name()] = &attribute;
  for (const auto& attribute : call.attribute()) {
    substitution.attributes[attribute.name()] = &attribute;
  }
  onnx::GraphProto body;
  body.set_name(function.name());
  for (int i = 0; i < function.input_size(); ++i) {
    if (i >= call.input_size() || call.input(i).empty()) {
      substitution.missing.insert(function.input(i));
    }
    body.add_input()->set_name(function.input(i));
  }
  for (const std::string& output : function.output()) body.add_output()->set_name(output);
  *body.mutable_node() = function.node();
  substitute(body, substitution);
  return body;
}

}  // namespace vta::compiler
