#include "tools/bisect/bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "isa/program/text/assembler.h"
#include "tools/bisect/golden_model.h"
#include "tools/bisect/suspect_device.h"

namespace vta::driver {
namespace {

using Bytes = std::vector<std::byte>;

/// A fault that comes and goes shows in so many launches, or is not found.
constexpr int kRepetitions = 8;
/// As many bytes are not elsewhere by chance.
constexpr uint64_t kSampleBytes = 8;

class Bisection {
 public:
  /// `runs_prefixes`: the device runs parts of programs.
  Bisection(const LaunchImage& image, GoldenModel& golden, SuspectDevice& suspect,
            bool runs_prefixes)
      : image_(image), golden_(golden), suspect_(suspect), runs_prefixes_(runs_prefixes) {}

  Result<Verdict> run();

 private:
  Status prepare();
  Result<bool> reproduce();
  bool findDifferentPart();
  void findTile();
  Result<bool> judgeStores();
  Result<bool> judgeReads();
  Status judgeArithmetic();
  Result<bool> prefixIsRight(uint32_t count);
  void blameMemory(DifferenceKind kind, const ImagePart& part, uint64_t offset_in_part,
                   std::string explanation);
  std::string disassembled(int64_t instruction) const {
    return disassemble(image_.instructions[static_cast<size_t>(instruction)]);
  }

  const LaunchImage& image_;
  GoldenModel& golden_;
  SuspectDevice& suspect_;
  bool runs_prefixes_;
  Bytes before_;
  Bytes expected_;
  Bytes actual_;
  std::optional<Fault> fault_;
  const ImagePart* part_ = nullptr;  // with the first wrong byte
  MemoryDifference difference_;      // in that part
  std::string accumulator_;          // of the last prefix that was wrong: the first wrong lane
  Verdict verdict_;
};

/// Outputs begin as the complement of what they have to become, so that each byte that is not
/// written shows.
Status Bisection::prepare() {
  const auto count = static_cast<uint32_t>(image_.instructions.size());
  VTA_RETURN_IF_ERROR(golden_.run(image_.bytes, count));
  before_ = image_.bytes;
  for (const ImagePart& part : image_.parts) {
    if (part.kind != BufferKind::kOutput) continue;
    for (uint64_t i = part.offset; i < part.end(); ++i) before_[i] = ~golden_.memory()[i];
  }
  VTA_RETURN_IF_ERROR(golden_.run(before_, count));
  expected_ = golden_.memory();
  return {};
}

Result<bool> Bisection::reproduce() {
  int wrong = 0;
  const auto count = static_cast<uint32_t>(image_.instructions.size());
  for (int i = 0; i < kRepetitions && (wrong == 0 || i < 2); ++i) {
    VTA_RETURN_IF_ERROR(suspect_.write(before_));
    auto outcome = suspect_.launch(count);
    if (!outcome.ok()) return outcome.status();
    VTA_ASSIGN_OR_RETURN(Bytes after, suspect_.read());
    if (!outcome->fault && after == expected_) continue;
    ++wrong;
    fault_ = std::move(outcome->fault);
    actual_ = std::move(after);
    verdict_.repeats = i + 1 == wrong && wrong > 1;
  }
  return wrong > 0;
}

/// Outputs first: the other parts are not written by the layer.
bool Bisection::findDifferentPart() {
  for (const bool wants_output : {true, false}) {
    for (const ImagePart& part : image_.parts) {
      if ((part.kind == BufferKind::kOutput) != wants_output || part.size_bytes == 0) continue;
      const auto of = [&](const Bytes& bytes) {
        return std::span(bytes).subspan(part.offset, part.size_bytes);
      };
      const auto difference = findDifference(of(actual_), of(expected_), of(before_));
      if (!difference) continue;
      part_ = &part;
      difference_ = *difference;
      return true;
    }
  }
  return false;
}

void Bisection::findTile() {
  const int64_t store = golden_.storeOf(part_->offset + difference_.first_byte);
  verdict_.instruction = store;
  for (size_t i = 0; i < image_.instructions.size(); ++i) {
    if (image_.instructions[i].opcode != Opcode::kStore) continue;
    if (static_cast<int64_t>(i) == store) verdict_.tile = verdict_.tile_count;
    ++verdict_.tile_count;
  }
}

void Bisection::blameMemory(DifferenceKind kind, const ImagePart& part, uint64_t offset_in_part,
                            std::string explanation) {
  verdict_.suspect = Suspect::kMemory;
  verdict_.memory_kind = kind;
  verdict_.part = part.name;
  verdict_.offset_in_part = offset_in_part;
  verdict_.explanation = std::move(explanation);
}

/// Whether the results were right, but did not get to their place.
Result<bool> Bisection::judgeStores() {
  const uint64_t first = part_->offset + difference_.first_byte;
  const uint64_t size_bytes = difference_.end_byte - difference_.first_byte;
  VTA_ASSIGN_OR_RETURN(const Bytes again, suspect_.readPieces(first, size_bytes));
  const auto expected = std::span(expected_).subspan(first, size_bytes);
  if (std::ranges::equal(again, expected)) {
    blameMemory(DifferenceKind::kStaleLines, *part_, difference_.first_byte,
                fmt::format("{}; read again in small pieces they are right: the processor's caches "
                            "hold old lines of what the core has stored",
                            difference_.text()));
    return true;
  }
  // A byte that nobody wrote is still the complement.
  if (actual_[first] != before_[first]) return false;
  const uint64_t piece_bytes = std::min<uint64_t>(kSampleBytes, size_bytes);
  const auto elsewhere = std::ranges::search(actual_, expected.first(piece_bytes));
  const auto place = static_cast<uint64_t>(elsewhere.begin() - actual_.begin());
  const bool is_displaced = size_bytes >= kSampleBytes && !elsewhere.empty() &&
                            !std::equal(elsewhere.begin(), elsewhere.end(),
                                        expected_.begin() + static_cast<int64_t>(place));
  if (is_displaced) {
    blameMemory(
        DifferenceKind::kWrongAddress, *part_, difference_.first_byte,
        fmt::format("{} wrong bytes from byte {} of the part on: what belongs there stands "
                    "{} bytes further {}: the core stores to a wrong address",
                    difference_.count, difference_.first_byte,
                    place > first ? place - first : first - place, place > first ? "on" : "back"));
    return true;
  }
  const bool is_line =
      difference_.kind == DifferenceKind::kStaleLines && difference_.end_byte != part_->size_bytes;
  blameMemory(
      is_line ? DifferenceKind::kStaleLines : DifferenceKind::kTruncated, *part_,
      difference_.first_byte,
      fmt::format("{}: what the core stores there does not arrive in memory", difference_.text()));
  return true;
}

/// Whether the core reads what the processor wrote.
Result<bool> Bisection::judgeReads() {
  VTA_RETURN_IF_ERROR(suspect_.write(before_));
  for (const ImagePart& part : image_.parts) {
    if (part.kind == BufferKind::kOutput || part.size_bytes == 0) continue;
    auto seen = suspect_.readThroughCore(part.offset, part.size_bytes);
    if (!seen.ok()) return seen.status();
    const auto wanted = std::span(before_).subspan(part.offset, part.size_bytes);
    Bytes complement(wanted.begin(), wanted.end());
    for (std::byte& byte : complement) byte = ~byte;
    const auto difference = findDifference(*seen, wanted, complement);
    if (!difference) continue;
    if (difference->kind == DifferenceKind::kValues) {
      verdict_.suspect = Suspect::kStore;
      verdict_.explanation = fmt::format(
          "values change on their way through the core, without any computation: of a copy of "
          "'{}', {}",
          part.name, difference->text());
      continue;
    }
    blameMemory(difference->kind, part, difference->first_byte,
                fmt::format("what the core reads is not what the processor wrote: {}; {}",
                            difference->text(),
                            difference->kind == DifferenceKind::kStaleLines
                                ? "flushing the processor's caches does not reach them"
                                : "check the address and size of the memory"));
    return true;
  }
  return verdict_.suspect == Suspect::kStore;
}

/// Compares ACC and the memory behind the first `count` instructions.
Result<bool> Bisection::prefixIsRight(uint32_t count) {
  VTA_RETURN_IF_ERROR(golden_.run(before_, count));
  VTA_RETURN_IF_ERROR(suspect_.clearScratchpads());
  VTA_RETURN_IF_ERROR(suspect_.write(before_));
  VTA_ASSIGN_OR_RETURN(const SuspectDevice::Outcome outcome, suspect_.launch(count));
  if (outcome.fault) {
    accumulator_ = fmt::format("the core reports {}", faultKindName(outcome.fault->kind));
    return false;
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<int32_t> lanes, suspect_.readAccumulators());
  const std::vector<int32_t> wanted = golden_.accumulators();
  const auto [found, right] = std::ranges::mismatch(lanes, wanted);
  if (found == lanes.end()) return true;
  const auto at = static_cast<uint64_t>(found - lanes.begin());
  const uint64_t elem_lanes = image_.hw.elemBytes(MemoryType::kOut);
  accumulator_ = fmt::format("lane {} of ACC element {} becomes {} instead of {}", at % elem_lanes,
                             at / elem_lanes, *found, *right);
  return false;
}

Status Bisection::judgeArithmetic() {
  if (!runs_prefixes_) {
    verdict_.suspect = Suspect::kArithmetic;
    verdict_.explanation = fmt::format(
        "memory is right in both directions, so values are computed wrongly or in a wrong order "
        "before this store: {}; a part of a program leaves tokens behind, which this hardware "
        "keeps for the next launch, so nothing narrows it down further",
        difference_.text());
    return {};
  }
  VTA_ASSIGN_OR_RETURN(const bool nothing_is_right, prefixIsRight(0));
  if (!nothing_is_right) {
    verdict_.suspect = Suspect::kStore;
    verdict_.explanation = fmt::format(
        "values change on their way from ACC to memory, without any computation: {}", accumulator_);
    return {};
  }
  auto wrong = static_cast<uint32_t>(image_.instructions.size()) - 1;
  VTA_ASSIGN_OR_RETURN(const bool all_is_right, prefixIsRight(wrong));
  if (all_is_right) {
    verdict_.suspect = Suspect::kOrder;
    verdict_.explanation =
        "the accumulators are right behind the last instruction, so what was stored before was "
        "wrong when it was read: the order of instructions, or a difference that comes and goes";
    return {};
  }
  std::string accumulator = accumulator_;
  uint32_t right = 0;
  while (wrong - right > 1) {
    const uint32_t middle = right + (wrong - right) / 2;
    VTA_ASSIGN_OR_RETURN(const bool is_right, prefixIsRight(middle));
    if (!is_right) accumulator = accumulator_;
    (is_right ? right : wrong) = middle;
  }
  verdict_.suspect = Suspect::kArithmetic;
  verdict_.instruction = right;
  verdict_.explanation =
      fmt::format("up to instruction {} everything is right; with instruction {} ({}) {}",
                  int64_t{right} - 1, right, disassembled(right), accumulator);
  return {};
}

Result<Verdict> Bisection::run() {
  VTA_RETURN_IF_ERROR(prepare());
  VTA_ASSIGN_OR_RETURN(const bool is_wrong, reproduce());
  if (!is_wrong) {
    verdict_.explanation = fmt::format(
        "{} repetitions of the layer alone were right: the difference comes and goes, or what ran "
        "before it matters",
        kRepetitions);
    return verdict_;
  }
  const bool has_difference = findDifferentPart();
  if (has_difference) findTile();
  if (has_difference && !fault_) {
    VTA_ASSIGN_OR_RETURN(const bool is_stored_wrong, judgeStores());
    if (is_stored_wrong) return verdict_;
  }
  // Where launches fail, this one may fail, too.
  const Result<bool> is_read_wrong = judgeReads();
  if (!is_read_wrong.ok() && !fault_) return is_read_wrong.status();
  if (is_read_wrong.ok() && *is_read_wrong) return verdict_;
  if (fault_) {
    verdict_.suspect = Suspect::kLaunch;
    verdict_.instruction = fault_->instruction;
    verdict_.explanation = fmt::format("the core reports {} at instruction {}",
                                       faultKindName(fault_->kind), fault_->instruction);
    return verdict_;
  }
  if (part_ != nullptr) {
    verdict_.part = part_->name;
    verdict_.offset_in_part = difference_.first_byte;
  }
  VTA_RETURN_IF_ERROR(judgeArithmetic());
  return verdict_;
}

}  // namespace

std::string_view suspectName(Suspect suspect) {
  constexpr std::string_view kNames[] = {"nothing",    "memory", "store",
                                         "arithmetic", "order",  "launch"};
  return kNames[static_cast<size_t>(suspect)];
}

Result<Verdict> bisectLaunch(Device& device, const LaunchImage& image) {
  VTA_ASSIGN_OR_RETURN(const auto golden, GoldenModel::create(image));
  VTA_ASSIGN_OR_RETURN(SuspectDevice suspect, SuspectDevice::create(device, image));
  return Bisection(image, *golden, suspect, device.info().capabilities.clears_tokens).run();
}

}  // namespace vta::driver
