// What callers read in a callback's `details` where the words are ours.
#pragma once

#include <string_view>

namespace merpati::scheduler::details {

inline constexpr std::string_view recipient_invalid = "Nomor tujuan tidak valid";
inline constexpr std::string_view device_down =
    "Perangkat tidak terhubung sampai batas waktu habis";
inline constexpr std::string_view gave_up = "Gagal mengirim sampai batas waktu habis";
inline constexpr std::string_view cancelled = "Pesan dibatalkan";
inline constexpr std::string_view held =
    "Hasil pengiriman tidak diketahui; ditahan agar tidak terkirim dua kali";

}  // namespace merpati::scheduler::details
