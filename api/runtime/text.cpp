// vta_tokenizer, vta_generate, and what sessions keep of a text.
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "api/runtime/handles.h"
#include "driver/generate/draft_model.h"
#include "driver/generate/generate.h"
#ifdef VTA_HAS_JSON_TOKENIZER
#include "driver/generate/files/read_tokenizer.h"
#endif

namespace {

using vta::Status;
using vta::api::checkIdle;
using vta::api::guarded;
using vta::driver::Generation;

vta::Result<std::unique_ptr<vta::driver::Tokenizer>> readAnyTokenizer(const char* path) {
#ifdef VTA_HAS_JSON_TOKENIZER
  return vta::driver::readTokenizer(path);
#else
  return vta::driver::readBinaryTokenizer(path);
#endif
}

/// Held while the session's device is used.
std::unique_lock<std::mutex> turnOf(const vta_session& session) {
  return session.device ? std::unique_lock(session.device->mutex) : std::unique_lock<std::mutex>();
}

vta::driver::GenerateOptions generateOptionsOf(const vta_generate_options& given) {
  vta::driver::GenerateOptions options;
  options.max_tokens = given.max_tokens;
  options.sampling = {given.temperature, given.top_k, given.top_p, given.seed};
  options.speculate = given.speculate;
  for (size_t i = 0; i < given.stop_count; ++i) options.stops.emplace_back(given.stops[i]);
  return options;
}

Status checkGenerate(const vta_session* session, const vta_tokenizer* tokenizer, const char* prompt,
                     const vta_generate_options& options) {
  VTA_RETURN_IF_ERROR(checkIdle(session));
  if (tokenizer == nullptr || prompt == nullptr) {
    return vta::invalidArgument("vta_generate needs a tokenizer and a prompt");
  }
  if (options.max_tokens < 1) {
    return vta::invalidArgument("max_tokens has to be at least 1");
  }
  if (options.draft == session) {
    return vta::invalidArgument("a session cannot guess for itself: draft has to be another one");
  }
  if (options.draft != nullptr) VTA_RETURN_IF_ERROR(checkIdle(options.draft));
  if (options.stop_count > 0 && options.stops == nullptr) {
    return vta::invalidArgument("vta_generate was told of stops, and got none");
  }
  return {};
}

vta_generation describeGeneration(const vta_session& session, const Generation& made) {
  return {session.text.c_str(),
          vta::driver::textEndName(made.end).data(),
          static_cast<int64_t>(made.prompt.size()),
          static_cast<int64_t>(made.tokens.size()),
          made.seconds,
          made.first_token_seconds,
          made.prompt_counters.cycles,
          made.generated_counters.cycles};
}

/// Held while the devices of both are used. `draft` may be null.
std::array<std::unique_lock<std::mutex>, 2> turnsOf(const vta_session& session,
                                                    const vta_session* draft) {
  std::array<std::unique_lock<std::mutex>, 2> turns;
  const bool has_second = draft != nullptr && draft->device && draft->device != session.device;
  if (session.device) turns[0] = std::unique_lock(session.device->mutex, std::defer_lock);
  if (has_second) turns[1] = std::unique_lock(draft->device->mutex, std::defer_lock);
  if (session.device && has_second) {
    std::lock(turns[0], turns[1]);
  } else if (session.device) {
    turns[0].lock();
  } else if (has_second) {
    turns[1].lock();
  }
  return turns;
}

/// The model that guesses, on a session that then has read nothing.
vta::Result<vta::driver::DraftModel> openDraft(vta_session& draft, const vta_tokenizer& tokenizer) {
  vta::driver::Session& runs = *draft.session;
  VTA_RETURN_IF_ERROR(runs.clearState());
  return vta::driver::DraftModel::create(
      draft.module->info(), *tokenizer.tokenizer,
      [&](const vta::TensorMap& inputs) { return runs.run(inputs); },
      [&](int64_t length) { return runs.shortenText(length); });
}

Status generateText(vta_session& session, const vta_tokenizer& tokenizer, const char* prompt,
                    const vta_generate_options& options, vta_generation* generation) {
  const auto turns = turnsOf(session, options.draft);
  vta::driver::Session& runs = *session.session;
  VTA_ASSIGN_OR_RETURN(vta::driver::TextGenerator generator,
                       vta::driver::TextGenerator::create(
                           session.module->info(), *tokenizer.tokenizer,
                           [&](const vta::TensorMap& inputs) { return runs.run(inputs); },
                           [&](int64_t length) { return runs.shortenText(length); }));
  vta::driver::TextSink sink;
  if (options.show != nullptr) {
    sink = [&](std::string_view piece) {
      options.show(std::string(piece).c_str(), options.context);
    };
  }
  vta::driver::GenerateOptions generate = generateOptionsOf(options);
  std::optional<vta::driver::DraftModel> draft;
  if (options.draft != nullptr) {
    VTA_ASSIGN_OR_RETURN(auto opened, openDraft(*options.draft, tokenizer));
    draft.emplace(std::move(opened));
    generate.draft = std::bind_front(&vta::driver::DraftModel::draft, &*draft);
  }
  VTA_ASSIGN_OR_RETURN(Generation made,
                       generator.generate(prompt, generate, sink, runs.textLength()));
  session.text = std::move(made.text);
  if (generation != nullptr) *generation = describeGeneration(session, made);
  return {};
}

}  // namespace

extern "C" {

vta_status vta_tokenizer_load(const char* path, vta_tokenizer** tokenizer) {
  return guarded([&]() -> Status {
    if (path == nullptr || tokenizer == nullptr) {
      return vta::invalidArgument("vta_tokenizer_load needs a path and a place for the tokenizer");
    }
    auto loaded = std::make_unique<vta_tokenizer>();
    VTA_ASSIGN_OR_RETURN(loaded->tokenizer, readAnyTokenizer(path));
    *tokenizer = loaded.release();
    return {};
  });
}

void vta_tokenizer_release(vta_tokenizer* tokenizer) { delete tokenizer; }

int64_t vta_tokenizer_size(const vta_tokenizer* tokenizer) { return tokenizer->tokenizer->size(); }

vta_status vta_tokenizer_encode(vta_tokenizer* tokenizer, const char* text, const int64_t** tokens,
                                size_t* count) {
  return guarded([&]() -> Status {
    if (tokenizer == nullptr || text == nullptr || tokens == nullptr || count == nullptr) {
      return vta::invalidArgument("vta_tokenizer_encode needs a text and places for its tokens");
    }
    VTA_ASSIGN_OR_RETURN(tokenizer->tokens, tokenizer->tokenizer->encode(text));
    *tokens = tokenizer->tokens.data();
    *count = tokenizer->tokens.size();
    return {};
  });
}

vta_status vta_tokenizer_decode(vta_tokenizer* tokenizer, const int64_t* tokens, size_t count,
                                const char** text) {
  return guarded([&]() -> Status {
    if (tokenizer == nullptr || (tokens == nullptr && count > 0) || text == nullptr) {
      return vta::invalidArgument("vta_tokenizer_decode needs tokens and a place for their text");
    }
    tokenizer->text = vta::driver::decodeAll(*tokenizer->tokenizer, {tokens, count});
    *text = tokenizer->text.c_str();
    return {};
  });
}

void vta_generate_options_init(vta_generate_options* options) {
  const vta::driver::GenerateOptions defaults;
  *options = {};
  options->struct_bytes = sizeof(vta_generate_options);
  options->max_tokens = defaults.max_tokens;
  options->top_p = defaults.sampling.top_p;
  options->seed = defaults.sampling.seed;
}

vta_status vta_generate(vta_session* session, const vta_tokenizer* tokenizer, const char* prompt,
                        const vta_generate_options* options, vta_generation* generation) {
  return guarded([&]() -> Status {
    const vta_generate_options used = vta::api::knownOptions(options, vta_generate_options_init);
    VTA_RETURN_IF_ERROR(checkGenerate(session, tokenizer, prompt, used));
    return generateText(*session, *tokenizer, prompt, used, generation);
  });
}

int64_t vta_session_text_length(const vta_session* session) {
  return session->running.valid() ? 0 : session->session->textLength();
}

vta_status vta_session_save_state(vta_session* session, const void** data, size_t* size_bytes) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkIdle(session));
    if (data == nullptr || size_bytes == nullptr) {
      return vta::invalidArgument(
          "vta_session_save_state needs places for the bytes and their size");
    }
    const auto turn = turnOf(*session);
    VTA_ASSIGN_OR_RETURN(session->saved, session->session->saveState());
    *data = session->saved.data();
    *size_bytes = session->saved.size();
    return {};
  });
}

vta_status vta_session_load_state(vta_session* session, const void* data, size_t size_bytes) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkIdle(session));
    if (data == nullptr && size_bytes > 0) return vta::invalidArgument("the state is NULL");
    const auto turn = turnOf(*session);
    return session->session->loadState({static_cast<const std::byte*>(data), size_bytes});
  });
}

vta_status vta_session_fork(vta_session* session, vta_session** fork) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkIdle(session));
    if (fork == nullptr)
      return vta::invalidArgument("vta_session_fork needs a place for the session");
    auto other = std::make_unique<vta_session>();
    other->module = session->module;
    other->device = session->device;
    other->inputs = session->inputs;
    const auto turn = turnOf(*session);
    VTA_ASSIGN_OR_RETURN(other->session, session->session->fork());
    *fork = other.release();
    return {};
  });
}

}  // extern "C"
