// Texts about campaigns, contacts and suppressions: their fields, acts and uploads.
#pragma once

#include <array>

#include "api/texts/text.hpp"

namespace merpati::api {

inline constexpr std::array texts_of_campaigns{
    // What is not there, or not seen.
    Text{"there is no campaign {}", "tidak ada kampanye {0}"},
    Text{"campaign {} has no row {}", "kampanye {0} tidak mempunyai baris {1}"},
    Text{"there is no contact {}", "tidak ada kontak {0}"},
    Text{"there is a contact with this number", "sudah ada kontak dengan nomor ini"},
    Text{"there is no number {}", "tidak ada nomor {0}"},
    Text{"the number is not suppressed", "nomor itu tidak diblokir"},
    Text{"viewers do not export people", "pengamat tidak boleh mengekspor daftar orang"},
    Text{"viewers do not see numbers", "pengamat tidak boleh melihat nomor"},
    // Choices.
    Text{"draft, scheduled, running, paused, finished or cancelled",
         "draft, scheduled, running, paused, finished atau cancelled"},
    Text{"pending, queued, sent, failed, skipped, uncertain or cancelled",
         "pending, queued, sent, failed, skipped, uncertain atau cancelled"},
    Text{"invalid, duplicate, suppressed, frequency, excluded or empty_value",
         "invalid, duplicate, suppressed, frequency, excluded atau empty_value"},
    Text{"marketing or transactional", "marketing atau transactional"},
    Text{"none, link or keyword", "none, link atau keyword"},
    Text{"failed or uncertain", "failed atau uncertain"},
    Text{"manual, import, opt_out or unregistered", "manual, import, opt_out atau unregistered"},
    Text{"a country code, like 62", "kode negara, seperti 62"},
    Text{"the first digits of a number, with its country code",
         "angka pertama dari nomor, dengan kode negaranya"},
    Text{"a comma, a semicolon, a | or a tab", "koma, titik koma, | atau tab"},
    Text{"a time of day like 20:00", "jam seperti 20:00"},
    // Fields.
    Text{"must be the only one of message, variants and template",
         "harus satu-satunya dari message, variants dan template"},
    Text{"must be given, or column in its place", "harus diisi, atau column sebagai gantinya"},
    Text{"must be the name of a time zone, like Asia/Jakarta",
         "harus nama zona waktu, seperti Asia/Jakarta"},
    Text{"must be ids of campaigns", "harus id kampanye"},
    Text{"must be given, or contacted_within_days", "harus diisi, atau contacted_within_days"},
    Text{"must be given only with the scope failed", "hanya untuk scope failed"},
    Text{"must not be given with values", "tidak boleh diisi bersama values"},
    Text{"must not have an empty text", "tidak boleh memuat teks kosong"},
    Text{"'{}' must be a time like 2027-01-31T09:00:00+07:00, or without an offset by the "
         "campaign's time zone",
         "'{0}' harus waktu seperti 2027-01-31T09:00:00+07:00, atau tanpa selisih menurut zona "
         "waktu kampanye"},
    Text{"'{}' must be in the future", "'{0}' harus di masa depan"},
    Text{"'{}' must be at most {} days ahead", "'{0}' harus paling lama {1} hari lagi"},
    Text{"this time has passed", "waktu itu sudah lewat"},
    Text{"a time zone has a name such as Asia/Jakarta",
         "zona waktu mempunyai nama, seperti Asia/Jakarta"},
    Text{"there is no time zone {}", "tidak ada zona waktu {0}"},
    // Acts.
    Text{"the account has no device {}", "akun ini tidak mempunyai perangkat {0}"},
    Text{"the account has no such device", "akun ini tidak mempunyai perangkat itu"},
    Text{"the account has none of the campaign's devices",
         "akun ini tidak mempunyai satu pun perangkat kampanye"},
    Text{"the campaign names no device", "kampanye tidak menyebut perangkat"},
    Text{"device {} is {}", "perangkat {0} sedang {1}"},
    Text{"campaign {} cannot be tested: {}", "kampanye {0} tidak dapat dicoba: {1:text}"},
    Text{"campaign {} is not ready to start: {}", "kampanye {0} belum siap dimulai: {1:text}"},
    Text{"a campaign that is {} cannot be {}", "kampanye yang {0} tidak dapat {1:text}"},
    Text{"started", "dimulai"},
    Text{"paused", "dijeda"},
    Text{"resumed", "dilanjutkan"},
    Text{"cancelled", "dibatalkan"},
    Text{"removed", "dihapus"},
    Text{"this of a campaign that is {} cannot be changed",
         "bagian ini dari kampanye yang {0} tidak dapat diubah"},
    Text{"the account's validity is over", "masa berlaku akun sudah habis"},
    Text{"the campaign was changed while it was checked", "kampanye diubah saat sedang diperiksa"},
    Text{"the campaign has not been started", "kampanye belum dimulai"},
    Text{"rows of the campaign are still being cancelled: try again soon",
         "baris kampanye masih dibatalkan: coba lagi sebentar lagi"},
    Text{"the campaign has ended meanwhile: no more of its recipients are retried",
         "kampanye sudah berakhir sementara itu: penerima lainnya tidak dicoba lagi"},
    Text{"retention has removed recipients of the campaign: copy it without them",
         "penerima kampanye sudah dihapus karena masa simpannya habis: salin tanpa mereka"},
    Text{"the recipients of the campaign were changed while they were copied, or cannot all be "
         "read: try again, or copy it without them",
         "penerima kampanye diubah saat sedang disalin, atau tidak semuanya dapat dibaca: coba "
         "lagi, atau salin tanpa mereka"},
    Text{"the campaign has no such row", "kampanye tidak mempunyai baris itu"},
    Text{"messages of the campaign still wait or are being sent: wait until the server has ended "
         "them, then remove it",
         "pesan kampanye masih menunggu atau sedang dikirim: tunggu sampai server "
         "menyelesaikannya, lalu hapus kampanyenya"},
    Text{"the account has {} campaigns that have not ended: remove drafts, or cancel some",
         "akun ini mempunyai {0} kampanye yang belum selesai: hapus draf, atau batalkan sebagian"},
    Text{"the account has {} campaigns: remove some that have ended",
         "akun ini mempunyai {0} kampanye: hapus sebagian yang sudah selesai"},
    Text{"the account has too little credit", "saldo akun tidak cukup"},
    Text{"the server is stopped: it sends nothing", "server berhenti: tidak ada yang dikirim"},
    Text{"the message cannot be stored now", "pesan tidak dapat disimpan sekarang"},
    Text{"too many messages are being stored", "terlalu banyak pesan sedang disimpan"},
    // Messages of listmonk.
    Text{"the body is larger than a message of listmonk can be",
         "isinya lebih besar daripada pesan listmonk"},
    Text{"'recipients' must be a list of 1 to 100 objects",
         "'recipients' harus daftar 1 sampai 100 objek"},
    Text{"'content_type' must be plain: choose plain text for the campaign",
         "'content_type' harus plain: pilih teks biasa untuk kampanye"},
};

}  // namespace merpati::api
