// What callers read in a callback's `details` when a media file is to blame. No addresses: a file's
// host may be in a private network, and its owner is told nothing of that.
#pragma once

#include <string_view>

namespace merpati::media::details {

inline constexpr std::string_view type_refused = "Jenis file tidak didukung";
inline constexpr std::string_view too_large = "Ukuran file melebihi batas maksimum";
inline constexpr std::string_view inaccessible = "Url media tidak dapat diakses";
inline constexpr std::string_view no_answer = "Server media tidak menjawab";
inline constexpr std::string_view busy = "Server media sedang sibuk";
inline constexpr std::string_view closing = "Server sedang berhenti";

}  // namespace merpati::media::details
