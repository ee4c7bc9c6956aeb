// Texts about messages, callbacks, accounts and keys.
#pragma once

#include <array>

#include "api/texts/text.hpp"

namespace merpati::api {

inline constexpr std::array texts_of_messages{
    Text{"there is no message {}", "tidak ada pesan {0}"},
    Text{"there is no such message", "pesan itu tidak ada"},
    Text{"must be a list of at least one message", "harus daftar berisi sedikitnya satu pesan"},
    Text{"must have at most {} messages", "paling banyak berisi {0} pesan"},
    Text{"must hold objects, one for each message", "harus berisi objek, satu untuk tiap pesan"},
    Text{"message {} is {}: only one that waits can be sent now",
         "pesan {0} berstatus {1}: hanya yang menunggu dapat dikirim sekarang"},
    Text{"message {} is due already: `waits` says what it waits for",
         "pesan {0} sudah waktunya dikirim: `waits` menyebutkan apa yang ditunggu"},
    Text{"message {} is {}: only one that failed or was cancelled can be sent again",
         "pesan {0} berstatus {1}: hanya yang gagal atau dibatalkan dapat dikirim ulang"},
    Text{"message {} is {}: only one that waits can be cancelled",
         "pesan {0} berstatus {1}: hanya yang menunggu dapat dibatalkan"},
    Text{"message {} is {}: only a held one can be released",
         "pesan {0} berstatus {1}: hanya yang ditahan dapat dilepaskan"},
    Text{"message {} is {}: only a held one can be failed",
         "pesan {0} berstatus {1}: hanya yang ditahan dapat digagalkan"},
    Text{"device {} is not there any more, or is another account's: fail the message, or add the "
         "device again",
         "perangkat {0} sudah tidak ada, atau milik akun lain: gagalkan pesannya, atau tambahkan "
         "perangkatnya lagi"},
    Text{"the device that it was to leave by was removed", "perangkat pengirimnya sudah dihapus"},
    Text{"the message is not held", "pesan itu tidak ditahan"},
    Text{"the message is being sent", "pesan sedang dikirim"},
    Text{"the message has ended", "pesan sudah selesai"},
    Text{"a crash interrupted its send: the platform may have it",
         "pengirimannya terputus karena server berhenti: platform mungkin sudah menerimanya"},
    Text{"its send had begun when the server ended, so the platform may have it: start the server, "
         "which finds out",
         "pengirimannya sudah dimulai ketika server berhenti, jadi platform mungkin sudah "
         "menerimanya: jalankan server, yang akan memeriksanya"},
    Text{"the message is not sent again: {}", "pesan tidak dikirim ulang: {0}"},
    Text{"the message was sent again before, as {}",
         "pesan sudah pernah dikirim ulang, sebagai {0:text}"},
    Text{"another one", "pesan lain"},
    Text{"too many messages are being accepted: try again",
         "terlalu banyak pesan sedang diterima: coba lagi"},
    Text{"the scheduler did not answer in time; check the messages' states",
         "penjadwal tidak menjawab pada waktunya; periksa status pesan"},
    Text{"the probe of its file is not done: see in the list of messages whether it was accepted",
         "pemeriksaan berkasnya belum selesai: lihat di daftar pesan apakah sudah diterima"},
    Text{"the probe of its file is not done; check the message later",
         "pemeriksaan berkasnya belum selesai; periksa pesannya nanti"},
    Text{"the server is stopped: start it, it decides what may be sent",
         "server berhenti: jalankan dulu, server yang memutuskan apa yang boleh dikirim"},
    Text{"the server is stopped: start it, it delivers callbacks",
         "server berhenti: jalankan dulu, server yang mengirim callback"},
    Text{"viewers do not see the texts of messages", "peran viewer tidak melihat teks pesan"},
    Text{"viewers do not see what messages contain", "peran viewer tidak melihat isi pesan"},
    Text{"viewers cannot search in texts", "peran viewer tidak dapat mencari dalam teks"},
    Text{"what you may do has changed a moment ago: the message is not sent again",
         "hak Anda baru saja berubah: pesan tidak dikirim ulang"},
    Text{"the numbers of recipients are masked for viewers, who cannot look for one",
         "nomor penerima disamarkan untuk peran viewer, yang tidak dapat mencarinya"},
    Text{"must be a number, or its last digits, at least four",
         "harus sebuah nomor, atau angka terakhirnya, paling sedikit empat"},
    Text{"must have a word: letters or digits", "harus memuat kata: huruf atau angka"},
    Text{"{} ({} messages were cancelled)", "{0:text} ({1} pesan dibatalkan)"},
    // Callbacks.
    Text{"there is no callback {}", "tidak ada callback {0}"},
    Text{"there is no such callback", "callback itu tidak ada"},
    Text{"callback {} is not through with its attempts; the next one is due at {}",
         "callback {0} belum selesai dicoba; percobaan berikutnya pada {1}"},
    Text{"the callback is not through with its attempts", "callback itu belum selesai dicoba"},
    Text{"an account may replay {} callbacks a minute: try again in {} s",
         "sebuah akun boleh mengulang {0} callback tiap menit: coba lagi dalam {1} detik"},
    Text{"must be exhausted, gone or delivered", "harus exhausted, gone atau delivered"},
    Text{"must be given, or `until`, or `state`: all are never replayed",
         "harus diisi, atau `until`, atau `state`: tidak pernah semuanya diulang"},
    Text{"must be given: the account has no callback address",
         "harus diisi: akun tidak mempunyai alamat callback"},
    Text{"other tests are under way: try again", "uji lain sedang berjalan: coba lagi"},
    // Accounts and keys.
    Text{"there is no account {}", "tidak ada akun {0}"},
    Text{"there is no such account", "akun itu tidak ada"},
    Text{"is too much: the credit would be {}; an account can have at most {}",
         "terlalu banyak: saldo akan menjadi {0}; sebuah akun paling banyak mempunyai {1}"},
    Text{"the balance would be below 0 or too large", "saldo akan di bawah 0 atau terlalu besar"},
    Text{"there is no key {}", "tidak ada kunci {0}"},
    Text{"there is no such key", "kunci itu tidak ada"},
    Text{"only who has the scopes {} can give them to a key",
         "hanya yang mempunyai hak {0} dapat memberikannya kepada kunci"},
    Text{"the account has {} keys that work: revoke those that are not used",
         "akun mempunyai {0} kunci yang berlaku: cabut yang tidak dipakai"},
    Text{"key {} does not work any more: create a new one",
         "kunci {0} tidak berlaku lagi: buat yang baru"},
};

}  // namespace merpati::api
