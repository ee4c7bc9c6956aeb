// The gateway's own texts for the `details` of callbacks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace merpati::scheduler::details {

inline constexpr std::string_view sent = "Pesan terkirim";
inline constexpr std::string_view failed = "Gagal mengirim pesan";
inline constexpr std::string_view recipient_invalid = "Nomor tujuan tidak valid";
inline constexpr std::string_view device_down =
    "Perangkat tidak terhubung sampai batas waktu habis";
inline constexpr std::string_view media_type = "Jenis file tidak didukung oleh platform";
inline constexpr std::string_view media_size = "Ukuran file melebihi batas maksimum platform";
inline constexpr std::string_view media_unavailable = "File media tidak dapat diambil";
inline constexpr std::string_view gave_up = "Gagal mengirim sampai batas waktu habis";
inline constexpr std::string_view cancelled = "Pesan dibatalkan";
inline constexpr std::string_view held =
    "Hasil pengiriman tidak diketahui; ditahan agar tidak terkirim dua kali";
inline constexpr std::string_view undecided =
    "Hasil pengiriman tidak diketahui: platform tidak melaporkannya sampai batas waktu habis";
inline constexpr std::string_view given_up =
    "Hasil pengiriman tidak diketahui; operator menyatakannya gagal";

/// Texts of platforms are cut to this many bytes.
inline constexpr std::size_t length_max = 256;

/// The platform's text, cut between two UTF-8 characters; `otherwise` if it gave none.
[[nodiscard]] std::string of_platform(std::string text, std::string_view otherwise = {});

}  // namespace merpati::scheduler::details
