#include "driver/generate/text_stream.h"

#include <algorithm>
#include <utility>

#include "base/text/utf8.h"

namespace vta::driver {

/// At the end of the text: a part of a character, or the begin of a stop.
size_t TextStream::heldBytes() const {
  size_t held = unfinishedBytes(held_);
  for (const std::string& stop : stops_) {
    for (size_t bytes = std::min(stop.size(), held_.size()); bytes > held; --bytes) {
      if (std::string_view(held_).ends_with(std::string_view(stop).substr(0, bytes))) held = bytes;
    }
  }
  return held;
}

std::string TextStream::add(std::string_view piece) {
  if (is_stopped_) return "";
  held_ += piece;
  size_t end = std::string::npos;
  for (const std::string& stop : stops_) {
    if (!stop.empty()) end = std::min(end, held_.find(stop));
  }
  is_stopped_ = end != std::string::npos;
  if (!is_stopped_) end = held_.size() - heldBytes();
  std::string shown = held_.substr(0, end);
  held_.erase(0, is_stopped_ ? held_.size() : end);
  return shown;
}

std::string TextStream::finish() { return std::exchange(held_, ""); }

}  // namespace vta::driver
