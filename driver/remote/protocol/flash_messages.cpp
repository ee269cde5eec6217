#include "driver/remote/protocol/flash_messages.h"

namespace vta::remote {
namespace {

v1::FlashIdentity identityMessage(const HardwareIdentity& identity) {
  v1::FlashIdentity message;
  message.set_id(identity.id);
  message.set_version(identity.version);
  message.set_fingerprint(identity.fingerprint);
  message.set_config(identity.config);
  message.set_depths(identity.depths);
  message.set_last_uop_inp(identity.last_uop_inp);
  message.set_last_wgt_acc(identity.last_wgt_acc);
  message.set_extension_bits(identity.extension_bits);
  return message;
}

HardwareIdentity hardwareIdentityOf(const v1::FlashIdentity& message) {
  return {.id = message.id(),
          .version = message.version(),
          .fingerprint = message.fingerprint(),
          .config = message.config(),
          .depths = message.depths(),
          .last_uop_inp = message.last_uop_inp(),
          .last_wgt_acc = message.last_wgt_acc(),
          .extension_bits = message.extension_bits()};
}

}  // namespace

v1::FlashHello flashHello(const flash::FlashRequest& request, const flash::BitstreamFile& file) {
  v1::FlashHello hello;
  hello.set_bitstream_bytes(file.data.size());
  hello.set_name(file.path.string());
  if (file.description_text) {
    hello.mutable_description()->set_name(file.description_text->name);
    hello.mutable_description()->set_json(file.description_text->json);
  }
  hello.set_via(request.via);
  hello.set_die(request.die);
  hello.set_use_memory(request.use_memory);
  hello.set_slower_clock(request.slower_clock);
  return hello;
}

flash::FlashRequest flashRequestOf(const v1::FlashHello& hello) {
  flash::FlashRequest request;
  request.via = hello.via();
  request.die = hello.die();
  request.use_memory = hello.use_memory();
  request.slower_clock = hello.slower_clock();
  return request;
}

v1::FlashReport reportMessage(const flash::FlashReport& report) {
  v1::FlashReport message;
  message.set_via(std::string(viaName(report.via)));
  message.set_die(report.die);
  message.set_die_source(report.die_source);
  message.set_firmware(report.firmware);
  for (const flash::NeedReport& need : report.needs) {
    v1::FlashNeed& sent = *message.add_needs();
    sent.set_what(need.what);
    sent.set_found(need.found);
    sent.set_was_set(need.was_set);
    sent.set_warning(need.warning);
  }
  if (report.identity) *message.mutable_identity() = identityMessage(*report.identity);
  message.set_identity_source(report.identity_source);
  for (const std::string& warning : report.warnings) message.add_warnings(warning);
  return message;
}

Result<flash::FlashReport> reportOf(const v1::FlashReport& message) {
  flash::FlashReport report;
  const auto via = flash::viaFromName(message.via());
  if (!via) return ioError("the server's report has an unknown way of loading");
  report.via = *via;
  report.die = message.die();
  report.die_source = message.die_source();
  report.firmware = message.firmware();
  for (const v1::FlashNeed& need : message.needs()) {
    report.needs.push_back({.what = need.what(),
                            .found = need.found(),
                            .was_set = need.was_set(),
                            .warning = need.warning()});
  }
  if (message.has_identity()) report.identity = hardwareIdentityOf(message.identity());
  report.identity_source = message.identity_source();
  report.warnings.assign(message.warnings().begin(), message.warnings().end());
  return report;
}

}  // namespace vta::remote
