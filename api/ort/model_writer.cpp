#include "api/ort/model_writer.h"

#include <limits>
#include <span>

#include "api/ort/protobuf_writer.h"

namespace vta::ort {
namespace {

// Numbers of fields in onnx.proto.
namespace field {
enum Model : uint32_t { kIrVersion = 1, kProducer = 2, kGraph = 7, kOpset = 8 };
enum Opset : uint32_t { kDomain = 1, kVersion = 2 };
enum Graph : uint32_t {
  kNode = 1,
  kName = 2,
  kInitializer = 5,
  kInput = 11,
  kOutput = 12,
  kValue = 13
};
enum Node : uint32_t {
  kNodeInput = 1,
  kNodeOutput = 2,
  kNodeName = 3,
  kOperator = 4,
  kAttribute = 5,
  kNodeDomain = 7
};
enum Attribute : uint32_t {
  kAttributeName = 1,
  kFloat = 2,
  kInt = 3,
  kString = 4,
  kTensor = 5,
  kSubgraph = 6,
  kFloats = 7,
  kInts = 8,
  kStrings = 9,
  kAttributeType = 20
};
enum Tensor : uint32_t { kDims = 1, kDataType = 2, kTensorName = 8, kRawData = 9 };
enum Value : uint32_t { kValueName = 1, kValueType = 2 };
enum Type : uint32_t { kTensorType = 1 };
enum TensorType : uint32_t { kElementType = 1, kShape = 2 };
enum Shape : uint32_t { kDim = 1 };
enum Dim : uint32_t { kDimValue = 1, kDimSymbol = 2 };
}  // namespace field

/// Numbers of AttributeProto::AttributeType.
enum AttributeType : int64_t {
  kIsFloat = 1,
  kIsInt,
  kIsString,
  kIsTensor,
  kIsGraph,
  kIsFloats,
  kIsInts,
  kIsStrings
};

class ModelWriter {
 public:
  explicit ModelWriter(const Ort& ort) : ort_(ort) {}

  std::string model(const Graph& graph) const {
    ProtobufWriter model;
    model.number(field::kIrVersion, ort_.get<int64_t>(graph.handle, ort_->Graph_GetOnnxIRVersion));
    model.text(field::kProducer, kProviderName);
    model.message(field::kGraph, this->graph(graph));
    const auto count = ort_.get<size_t>(graph.handle, ort_->Graph_GetNumOperatorSets);
    std::vector<const char*> domains(count);
    std::vector<int64_t> versions(count);
    ort_.check(ort_->Graph_GetOperatorSets(graph.handle, domains.data(), versions.data(), count));
    for (size_t i = 0; i < count; ++i) {
      ProtobufWriter opset;
      opset.text(field::kDomain, domains[i]);
      opset.number(field::kVersion, versions[i]);
      model.message(field::kOpset, opset);
    }
    return model.bytes();
  }

 private:
  ProtobufWriter graph(const Graph& graph) const {
    ProtobufWriter message;
    for (const Node& node : graph.nodes) message.message(field::kNode, this->node(node));
    message.text(field::kName, "graph");
    for (const auto& [name, info] : graph.constants) {
      message.message(
          field::kInitializer,
          tensor(name, ort_.get<const OrtValue*>(info, ort_->ValueInfo_GetInitializerValue)));
    }
    for (const std::string& name : graph.inputs) message.message(field::kInput, value(graph, name));
    for (const std::string& name : graph.outputs)
      message.message(field::kOutput, value(graph, name));
    for (const auto& [name, known] : graph.values)
      message.message(field::kValue, value(graph, name));
    return message;
  }

  static ProtobufWriter value(const Graph& graph, const std::string& name) {
    ProtobufWriter message;
    message.text(field::kValueName, name);
    const Value& known = graph.values.at(name);
    if (known.type == 0) return message;
    ProtobufWriter type, tensor;
    tensor.number(field::kElementType, known.type);
    if (known.shape) {
      ProtobufWriter shape;
      for (size_t i = 0; i < known.shape->size(); ++i) {
        ProtobufWriter extent;
        if (const int64_t number = (*known.shape)[i]; number >= 0) {
          extent.number(field::kDimValue, number);
        } else if (!known.symbols[i].empty()) {
          extent.text(field::kDimSymbol, known.symbols[i]);
        }
        shape.message(field::kDim, extent);
      }
      tensor.message(field::kShape, shape);
    }
    type.message(field::kTensorType, tensor);
    message.message(field::kValueType, type);
    return message;
  }

  ProtobufWriter tensor(const std::string& name, const OrtValue* value) const {
    OrtTensorTypeAndShapeInfo* made = nullptr;
    ort_.check(ort_->GetTensorTypeAndShape(value, &made));
    const Owned<OrtTensorTypeAndShapeInfo> info(made, ort_->ReleaseTensorTypeAndShapeInfo);
    ProtobufWriter message;
    std::vector<int64_t> shape(ort_.get<size_t>(info.get(), ort_->GetDimensionsCount));
    if (!shape.empty()) ort_.check(ort_->GetDimensions(info.get(), shape.data(), shape.size()));
    for (const int64_t extent : shape) message.number(field::kDims, extent);
    const auto type = ort_.get<ONNXTensorElementDataType>(info.get(), ort_->GetTensorElementType);
    message.number(field::kDataType, type);
    message.text(field::kTensorName, name);
    // The compiler takes no texts: it refuses the nodes that read them.
    if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) return message;
    const auto size = ort_.get<size_t>(value, ort_->GetTensorSizeInBytes);
    const auto* data = ort_.get<const void*>(value, ort_->GetTensorData);
    message.text(field::kRawData, {static_cast<const char*>(data), size});
    return message;
  }

  ProtobufWriter node(const Node& node) const {
    ProtobufWriter message;
    for (const std::string& input : node.inputs) message.text(field::kNodeInput, input);
    for (const std::string& output : node.outputs) message.text(field::kNodeOutput, output);
    message.text(field::kNodeName, node.name);
    message.text(field::kOperator, node.op);
    for (const OrtOpAttr* attribute : ort_.list<const OrtOpAttr*>(
             node.handle, ort_->Node_GetNumAttributes, ort_->Node_GetAttributes)) {
      // Graphs are read in another way.
      if (ort_.get<OrtOpAttrType>(attribute, ort_->OpAttr_GetType) != ORT_OP_ATTR_GRAPH) {
        message.message(field::kAttribute, this->attribute(attribute));
      }
    }
    const auto count = ort_.get<size_t>(node.handle, ort_->Node_GetNumSubgraphs);
    std::vector<const OrtGraph*> graphs(count);
    std::vector<const char*> names(count);
    if (count > 0) {
      ort_.check(ort_->Node_GetSubgraphs(node.handle, graphs.data(), count, names.data()));
    }
    for (size_t i = 0; i < count; ++i) {
      ProtobufWriter attribute;
      attribute.text(field::kAttributeName, names[i]);
      attribute.message(field::kSubgraph, graph(readGraph(ort_, graphs[i])));
      attribute.number(field::kAttributeType, kIsGraph);
      message.message(field::kAttribute, attribute);
    }
    if (!node.domain.empty()) message.text(field::kNodeDomain, node.domain);
    return message;
  }

  /// The elements of an attribute, of type T.
  template <typename T>
  std::vector<T> elements(const OrtOpAttr* attribute, OrtOpAttrType type) const {
    size_t bytes = 0;
    // Without room it only says how much there is.
    if (OrtStatus* status = ort_->ReadOpAttr(attribute, type, nullptr, 0, &bytes)) {
      ort_->ReleaseStatus(status);
    }
    std::vector<T> all(bytes / sizeof(T));
    if (bytes > 0) ort_.check(ort_->ReadOpAttr(attribute, type, all.data(), bytes, &bytes));
    return all;
  }

  ProtobufWriter attribute(const OrtOpAttr* attribute) const {
    ProtobufWriter message;
    message.text(field::kAttributeName, ort_.get<const char*>(attribute, ort_->OpAttr_GetName));
    const auto type = ort_.get<OrtOpAttrType>(attribute, ort_->OpAttr_GetType);
    AttributeType written = kIsInt;
    switch (type) {
      case ORT_OP_ATTR_INT:
      case ORT_OP_ATTR_INTS:
        written = type == ORT_OP_ATTR_INT ? kIsInt : kIsInts;
        for (const int64_t element : elements<int64_t>(attribute, type)) {
          message.number(written == kIsInt ? field::kInt : field::kInts, element);
        }
        break;
      case ORT_OP_ATTR_FLOAT:
      case ORT_OP_ATTR_FLOATS:
        written = type == ORT_OP_ATTR_FLOAT ? kIsFloat : kIsFloats;
        for (const float element : elements<float>(attribute, type)) {
          message.real(written == kIsFloat ? field::kFloat : field::kFloats, element);
        }
        break;
      case ORT_OP_ATTR_STRING: {
        written = kIsString;
        const std::vector<char> text = elements<char>(attribute, type);
        message.text(field::kString, {text.data(), text.size()});
        break;
      }
      case ORT_OP_ATTR_STRINGS: {
        written = kIsStrings;
        // Each of them ends with a zero.
        std::string one;
        for (const char c : elements<char>(attribute, type)) {
          if (c != '\0') {
            one += c;
            continue;
          }
          message.text(field::kStrings, one);
          one.clear();
        }
        break;
      }
      case ORT_OP_ATTR_TENSOR: {
        written = kIsTensor;
        OrtValue* made = nullptr;
        ort_.check(ort_->OpAttr_GetTensorAttributeAsOrtValue(attribute, &made));
        const Owned<OrtValue> value(made, ort_->ReleaseValue);
        message.message(field::kTensor, tensor("", value.get()));
        break;
      }
      default:  // the compiler refuses a node without an attribute that it needs
        break;
    }
    message.number(field::kAttributeType, written);
    return message;
  }

  const Ort& ort_;
};

}  // namespace

std::string writeModel(const Ort& ort, const Graph& graph) {
  std::string bytes = ModelWriter(ort).model(graph);
  if (bytes.size() <= std::numeric_limits<int32_t>::max()) return bytes;
  throw api::Error(VTA_UNSUPPORTED,
                   "the graph's constants take more than 2 GiB, which no ONNX file holds; quantise "
                   "the model, or leave its largest operators to another provider");
}

}  // namespace vta::ort
