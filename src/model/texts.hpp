// Every text for people that the gateway itself stores and reports: in callbacks, webhooks and the
// states of devices. They are Indonesian, as their receivers know them, and do not change.
// api/texts/ has the English ones. Workers and platforms report in their own words.
#pragma once

#include <string_view>

/// The `details` of a message's outcome. Those about media files name no address, because the
/// file's host may be in a private network.
namespace merpati::model::details {

inline constexpr std::string_view sent = "Pesan terkirim";
inline constexpr std::string_view accepted = "Diterima platform";
inline constexpr std::string_view failed = "Gagal mengirim pesan";
inline constexpr std::string_view cancelled = "Pesan dibatalkan";
inline constexpr std::string_view gave_up = "Gagal mengirim sampai batas waktu habis";
inline constexpr std::string_view device_down =
    "Perangkat tidak terhubung sampai batas waktu habis";
inline constexpr std::string_view device_not_connected = "Perangkat tidak terhubung";
inline constexpr std::string_view connector_missing = "Konektor tidak dapat dijalankan";

inline constexpr std::string_view recipient_invalid = "Nomor tujuan tidak valid";
inline constexpr std::string_view recipient_unregistered = "Nomor tujuan tidak terdaftar";
inline constexpr std::string_view recipient_refused = "Penerima tidak dapat dikirimi pesan";
inline constexpr std::string_view text_too_long = "Pesan terlalu panjang";
inline constexpr std::string_view unsupported = "Pesan tidak didukung konektor";

// From the file's host.
inline constexpr std::string_view file_type_refused = "Jenis file tidak didukung";
inline constexpr std::string_view file_too_large = "Ukuran file melebihi batas maksimum";
inline constexpr std::string_view file_inaccessible = "Url media tidak dapat diakses";
inline constexpr std::string_view file_unavailable = "File media tidak dapat diambil";
inline constexpr std::string_view host_silent = "Server media tidak menjawab";
inline constexpr std::string_view host_busy = "Server media sedang sibuk";
inline constexpr std::string_view fetcher_closing = "Server sedang berhenti";

// From the platform.
inline constexpr std::string_view platform_file_type = "Jenis file tidak didukung oleh platform";
inline constexpr std::string_view platform_file_size =
    "Ukuran file melebihi batas maksimum platform";
inline constexpr std::string_view platform_failed = "Platform gagal mengirim pesan";
inline constexpr std::string_view platform_refused = "Platform menolak pesan";
inline constexpr std::string_view platform_throttles = "Platform meminta jeda";
inline constexpr std::string_view platform_unavailable = "Platform sedang tidak tersedia";
inline constexpr std::string_view template_unusable =
    "Templat cadangan tidak ada, belum disetujui, atau tidak cocok";
inline constexpr std::string_view template_unsupported =
    "Hanya perangkat di platform resmi yang mengirim templat";
inline constexpr std::string_view account_restricted = "Platform membatasi akun pengirim";
inline constexpr std::string_view new_chats_restricted =
    "Platform membatasi percakapan baru dari perangkat ini";

// From the connector.
inline constexpr std::string_view connector_failed = "Konektor gagal mengirim pesan";
inline constexpr std::string_view connector_busy = "Konektor sedang sibuk";
inline constexpr std::string_view connector_closing = "Konektor sedang berhenti";
inline constexpr std::string_view connector_unreadable = "Jawaban konektor tidak dapat dibaca";
inline constexpr std::string_view connector_silent = "Konektor tidak menjawab";
inline constexpr std::string_view simulator_closing = "Simulator berhenti";

// The outcome of a send is not known.
inline constexpr std::string_view unknown = "Hasil pengiriman tidak diketahui";
inline constexpr std::string_view answer_lost = "Jawaban platform hilang";
inline constexpr std::string_view connector_ended = "Proses konektor berhenti";
inline constexpr std::string_view held =
    "Hasil pengiriman tidak diketahui; ditahan agar tidak terkirim dua kali";
inline constexpr std::string_view crashed = "Konektor berhenti saat pesan dikirim";
inline constexpr std::string_view held_after_crashes =
    "Konektor berhenti dua kali saat pesan ini dikirim; ditahan agar tidak terulang";
inline constexpr std::string_view undecided =
    "Hasil pengiriman tidak diketahui: platform tidak melaporkannya sampai batas waktu habis";
inline constexpr std::string_view given_up =
    "Hasil pengiriman tidak diketahui; operator menyatakannya gagal";

/// Of a callback that somebody asked for, to see whether it arrives.
inline constexpr std::string_view test_callback = "Callback percobaan";

}  // namespace merpati::model::details

/// The reasons of devices' states.
namespace merpati::model::reasons {

inline constexpr std::string_view requested = "Diputuskan atas permintaan";
inline constexpr std::string_view server_restarted = "Gateway dimulai ulang; menunggu konektor";
inline constexpr std::string_view pairing_interrupted =
    "Gateway dimulai ulang saat menautkan; tautkan lagi";
inline constexpr std::string_view connector_stopped = "Proses konektor berhenti";
inline constexpr std::string_view connector_unavailable = "Konektor tidak dapat dijalankan";
inline constexpr std::string_view not_connected = "Perangkat tidak dapat dihubungkan";
inline constexpr std::string_view token_needed = "Menunggu token platform resmi";
inline constexpr std::string_view imported = "Tautan dipindahkan dari program lain";
inline constexpr std::string_view pairing_begun = "Menunggu pemasangan";
inline constexpr std::string_view pairing_not_kept = "Pemasangan tidak dapat disimpan";
inline constexpr std::string_view code_expired = "Kode QR kedaluwarsa";
inline constexpr std::string_view platform_refuses = "Platform menolak token atau nomor ini";
inline constexpr std::string_view platform_restricts = "Platform membatasi akun ini";
inline constexpr std::string_view pin_wanted =
    "PIN enam angka (verifikasi dua langkah) untuk mendaftarkan nomor ini";
inline constexpr std::string_view platform_code_wanted =
    "Kode enam angka yang dikirim platform ke nomor ini";
inline constexpr std::string_view chats_locked =
    "Platform membatasi akun ini: belum boleh memulai percakapan baru";
/// Of a device that is connected again and paused.
inline constexpr std::string_view queue_held =
    "Dipasangkan ulang; pesan yang menunggu ditahan sampai perangkat dilanjutkan";
/// Of a device that was lost so many times, after the reason of the last time.
inline constexpr std::string_view lost_often = "{}; sudah {} kali terputus dalam waktu singkat";

}  // namespace merpati::model::reasons
