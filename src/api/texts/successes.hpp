// What the published operations answer when they succeed. Indonesian alone, as their callers know
// these texts; they do not change. errors.cpp has those of refusals.
#pragma once

#include <string_view>

namespace merpati::api::successes {

inline constexpr std::string_view message_pending = "Pesan sedang diproses";
inline constexpr std::string_view message_sent = "Pesan berhasil dikirim";
inline constexpr std::string_view device_added = "Perangkat berhasil ditambahkan";

}  // namespace merpati::api::successes
