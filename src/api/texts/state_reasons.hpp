// The reasons of devices' states, which connectors report in Indonesian, for readers of both
// languages.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "api/texts/language.hpp"
#include "model/texts.hpp"

namespace merpati::api {

/// Webhooks get the Indonesian text.
struct StateReason {
    std::string_view code;
    std::string_view english;
    std::string_view indonesian;
};

inline constexpr std::array state_reasons{
    StateReason{"requested", "Disconnected on request", model::reasons::requested},
    StateReason{"server_restarted", "The gateway was restarted; waiting for the connector",
                model::reasons::server_restarted},
    StateReason{"pairing_interrupted", "The gateway was restarted while linking; link it again",
                model::reasons::pairing_interrupted},
    StateReason{"connector_stopped", "The connector's program has stopped",
                model::reasons::connector_stopped},
    StateReason{"connector_unavailable", "The connector cannot be started",
                model::reasons::connector_unavailable},
    StateReason{"not_connected", "The device could not be connected",
                model::reasons::not_connected},
    StateReason{"token_needed", "Waiting for a token of the official platform",
                model::reasons::token_needed},
    StateReason{"pin_wanted",
                "The number's PIN of six digits (two-step verification), to register it",
                model::reasons::pin_wanted},
    StateReason{"code_wanted", "The code of six digits that the platform has sent to this number",
                model::reasons::platform_code_wanted},
    StateReason{"platform_refuses", "The platform refuses the token or this number",
                model::reasons::platform_refuses},
    StateReason{"platform_restricts", "The platform restricts this account",
                model::reasons::platform_restricts},
    StateReason{"imported", "The link was moved here from another program",
                model::reasons::imported},
    StateReason{"connecting", "Connecting to the platform", "Menghubungkan ke platform"},
    StateReason{"awaiting_link", "Waiting to be linked on the phone",
                "Menunggu ditautkan di ponsel"},
    StateReason{"awaiting_scan", "Waiting for the QR code to be scanned",
                "Menunggu kode QR dipindai"},
    StateReason{"awaiting_code", "Waiting for the code to be typed in on the phone",
                "Menunggu kode dimasukkan di ponsel"},
    StateReason{"awaiting_passkey", "Waiting for the passkey of this account",
                "Menunggu kunci sandi (passkey) akun ini"},
    StateReason{"code_expired", "The QR code has expired", model::reasons::code_expired},
    StateReason{"pairing_begun", "Waiting to be paired", model::reasons::pairing_begun},
    StateReason{"pairing_not_kept", "The pairing cannot be stored",
                model::reasons::pairing_not_kept},
    StateReason{"store_unreachable", "The connector cannot reach the gateway's store",
                "Penyimpanan gateway tidak terjangkau"},
    StateReason{"not_opened", "The connection to the platform cannot be opened",
                "Koneksi ke platform gagal dibuka"},
    StateReason{"linking_expired", "The time for linking is over", "Waktu menautkan habis"},
    StateReason{"used_elsewhere", "Another program uses this device",
                "Perangkat ini dipakai oleh program lain"},
    StateReason{"outdated", "The platform refuses this version of the worker: update it",
                "Platform menolak versi worker ini: perbarui worker"},
    StateReason{"untrusted", "The platform's certificate cannot be trusted",
                "Sertifikat platform tidak dapat dipercaya"},
    StateReason{"platform_unavailable", "The platform is not available at the moment",
                "Platform sedang tidak tersedia"},
    StateReason{"connection_lost", "The connection to the platform was lost",
                "Koneksi ke platform terputus"},
    StateReason{"unlinked", "The device was removed from the account on the phone",
                "Perangkat dikeluarkan dari akun di ponsel"},
    StateReason{"banned_for_a_time", "The platform has blocked this account for a time",
                "Platform memblokir akun ini untuk sementara"},
    StateReason{"banned", "The platform has blocked this account", "Platform memblokir akun ini"},
    StateReason{"chats_locked", "The platform forbids this account to begin new chats",
                model::reasons::chats_locked},
    StateReason{"chats_used_up", "This account has used up its new chats at the platform",
                "Jatah percakapan baru akun ini di platform sudah habis"},
    StateReason{"cannot_be_linked", "This account cannot have linked devices",
                "Akun ini tidak dapat memakai perangkat tertaut"},
    StateReason{"link_refused", "The platform refused to link this device",
                "Platform menolak menautkan perangkat ini"},
    StateReason{"wrong_number", "The phone has another number than this device",
                "Ponsel itu memakai nomor lain daripada perangkat ini"},
};

/// The reason with this Indonesian text, which may end in ": " and the platform's words. Null: it
/// is in a connector's own words.
[[nodiscard]] const StateReason* reason_of(std::string_view indonesian) noexcept;

/// The reason in the language, or as it is if it is in a connector's own words. The platform's
/// words stay as they are.
[[nodiscard]] std::string reason_text(std::string_view indonesian, Language language);

}  // namespace merpati::api
