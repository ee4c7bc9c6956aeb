// Texts about numbers of the official platform: their access, templates and webhook.
#pragma once

#include <array>

#include "api/texts/text.hpp"

namespace merpati::api {

inline constexpr std::array texts_of_cloud{
    Text{"the phone number id {} belongs to another device already",
         "id nomor telepon {0} sudah dipakai perangkat lain"},
    Text{"{} has no phone number id of the official platform",
         "{0} belum mempunyai id nomor telepon dari platform resmi"},
    Text{"{} is on the connector {}: only devices on the connector cloud have tokens and templates",
         "{0} memakai konektor {1}: hanya perangkat dengan konektor cloud yang mempunyai token dan "
         "templat"},
    Text{"is for devices on the connector cloud alone",
         "hanya untuk perangkat dengan konektor cloud"},
    Text{"must hold phone_number_id and token", "harus berisi phone_number_id dan token"},
    Text{"must be an id of the platform: 1 to 32 digits",
         "harus id dari platform: 1 sampai 32 angka"},
    Text{"must be a text without blanks", "harus teks tanpa spasi"},
    Text{"must be NAME:LANGUAGE, as in pesan_baru:id", "harus NAMA:BAHASA, misalnya pesan_baru:id"},
    Text{"{} has no phone number id of the platform yet: give it with a token (`cloud`)",
         "{0} belum mempunyai id nomor telepon dari platform: berikan beserta token (`cloud`)"},
    Text{"{} has no token yet: give one (`cloud`)",
         "{0} belum mempunyai token: berikan satu (`cloud`)"},
    Text{"{} has no business account id yet: give it (`cloud.waba_id`)",
         "{0} belum mempunyai id akun bisnis: berikan (`cloud.waba_id`)"},
    Text{"the platform does not say which number the id {} has",
         "platform tidak menyebut nomor untuk id {0}"},
    Text{"the id {} is that of the number {}, not of {}",
         "id {0} adalah milik nomor {1}, bukan {2}"},
    Text{"the platform does not answer: try again", "platform tidak menjawab: coba lagi"},
    Text{"the platform lists its templates too slowly",
         "platform terlalu lambat mendaftar templatnya"},
    Text{"the business account has no template {}", "akun bisnis tidak mempunyai templat {0}"},
    Text{"the template {} is not approved: the platform calls it {}",
         "templat {0} belum disetujui: platform menyebutnya {1}"},
    Text{
        "the template {} must have exactly one variable, in its body: the message's text takes "
        "its place",
        "templat {0} harus mempunyai tepat satu variabel, di isinya: teks pesan mengisi tempatnya"},
    Text{"the body has no signature of the platform's app (X-Hub-Signature-256)",
         "isi permintaan tidak ditandatangani aplikasi platform (X-Hub-Signature-256)"},
    Text{"no secret of the platform's app is known, so nothing can be verified: set "
         "cloud.app_secret_file, or give a device its own",
         "rahasia aplikasi platform tidak diketahui, jadi tidak ada yang dapat diperiksa: isi "
         "cloud.app_secret_file, atau berikan kepada perangkat"},
    Text{"too much waits to be stored: post it again",
         "terlalu banyak yang menunggu disimpan: kirim lagi"},
    Text{"too much without a right signature came from this address: post it again later",
         "terlalu banyak tanpa tanda tangan yang benar datang dari alamat ini: kirim lagi nanti"},
    Text{"the token of the verification is not the one of cloud.verify_token",
         "token verifikasi tidak sama dengan cloud.verify_token"},
    Text{"too many questions of this device, or account, to the platform are under way: wait for "
         "one to end",
         "terlalu banyak pertanyaan perangkat atau akun ini ke platform sedang berjalan: tunggu "
         "salah satunya selesai"},
    Text{"too many questions to the platform are under way: try again",
         "terlalu banyak pertanyaan ke platform sedang berjalan: coba lagi"},
    // Of the connector.
    Text{"the platform refuses it: {}", "platform menolaknya: {0}"},
    Text{"the platform cannot answer now, try again: {}",
         "platform belum dapat menjawab, coba lagi: {0}"},
    Text{"the platform's answer is not valid", "jawaban platform tidak dapat dimengerti"},
    Text{"the platform has no such id, or no such token",
         "platform tidak mengenal id atau token itu"},
    Text{"the business account or its token is not known",
         "akun bisnis atau tokennya tidak diketahui"},
    Text{"the device's connector has no tokens", "konektor perangkat tidak memakai token"},
    Text{"the device's connector has no templates", "konektor perangkat tidak mempunyai templat"},
};

}  // namespace merpati::api
