// Texts about people, invitations and signing in.
#pragma once

#include <array>

#include "api/texts/text.hpp"

namespace merpati::api {

inline constexpr std::array texts_of_people{
    Text{"there is no person {}", "tidak ada pengguna {0}"},
    Text{"there is no such person", "pengguna itu tidak ada"},
    Text{"the account has no person {}", "akun tidak mempunyai pengguna {0}"},
    Text{"the account has no such person", "akun tidak mempunyai pengguna itu"},
    Text{"the account has {} people", "akun sudah mempunyai {0} pengguna"},
    Text{"the account has this person already: change the role instead",
         "akun sudah mempunyai pengguna ini: ganti perannya saja"},
    Text{"the account would have no owner any more", "akun tidak akan mempunyai pemilik lagi"},
    Text{"only who may do what the role {} may can give or take it",
         "hanya yang mempunyai semua hak peran {0} dapat memberi atau mencabutnya"},
    Text{"only administrators of the server add people without asking them: invite the person "
         "instead",
         "hanya administrator server yang menambah pengguna tanpa bertanya: undang orangnya"},
    Text{"owner, operator or viewer", "owner, operator atau viewer"},
    Text{"owner, operator, viewer or none", "owner, operator, viewer atau none"},
    Text{"must be given with the account", "harus diisi bersama akun"},
    Text{"must be given with the role", "harus diisi bersama peran"},
    Text{"can only be ended here: the person sets it up",
         "di sini hanya dapat diakhiri: orangnya sendiri yang memasangnya"},
    Text{"this is the last administrator: it can be done on the server's machine",
         "ini administrator terakhir: hal itu dapat dilakukan di mesin server"},
    Text{"{} is there already: change that person instead",
         "{0} sudah ada: ubah pengguna itu saja"},
    Text{"the e-mail address is another person's", "alamat surel itu milik pengguna lain"},
    Text{"must be an e-mail address", "harus alamat surel"},
    // Invitations.
    Text{"there is no invitation {}", "tidak ada undangan {0}"},
    Text{"the account has {} invitations: wait until people accept them, or revoke some",
         "akun sudah mempunyai {0} undangan: tunggu sampai diterima, atau cabut sebagian"},
    Text{"the invitation was used, revoked or replaced, has expired, or is of somebody who may not "
         "invite any more: ask for another",
         "undangan sudah dipakai, dicabut, diganti, kedaluwarsa, atau pengundangnya tidak boleh "
         "mengundang lagi: minta yang baru"},
    Text{"the invitation is for {}: sign in as that person",
         "undangan ini untuk {0}: masuk sebagai orang itu"},
    Text{"the person has changed meanwhile: try again", "pengguna baru saja berubah: coba lagi"},
    // Signing in.
    Text{"the e-mail address, the password or the code is wrong, or the link was used or has "
         "expired",
         "alamat surel, kata sandi atau kodenya salah, atau tautannya sudah dipakai atau "
         "kedaluwarsa"},
    Text{"give the code of the authenticator as `totp`",
         "berikan kode dari aplikasi autentikator sebagai `totp`"},
    Text{"too many tries: wait", "terlalu banyak percobaan: tunggu"},
    Text{"too many tries: wait, or use a sign-in link",
         "terlalu banyak percobaan: tunggu, atau pakai tautan masuk"},
    Text{"people sign in over https: set http.tls.certificate and http.tls.key, or app.url to the "
         "https address of a proxy before this server; a proxy on another machine must add "
         "`X-Forwarded-Proto: https`",
         "masuk harus lewat https: atur http.tls.certificate dan http.tls.key, atau app.url ke "
         "alamat https dari proxy di depan server ini; proxy di mesin lain harus menambahkan "
         "`X-Forwarded-Proto: https`"},
    Text{"there is no session {}", "tidak ada sesi {0}"},
    Text{"sign in again first: the session is not of now",
         "masuk lagi dulu: sesi ini bukan baru saja dimulai"},
    Text{"there is no memory to hash the password: try again",
         "tidak ada memori untuk memeriksa kata sandi: coba lagi"},
    // Passwords and second factors.
    Text{"`current` must be the present password", "`current` harus kata sandi sekarang"},
    Text{"the password was changed meanwhile", "kata sandi baru saja diganti"},
    Text{"must be text without control characters", "harus teks tanpa karakter kendali"},
    Text{"is one of those that are guessed first", "termasuk yang paling dulu ditebak orang"},
    Text{"there is a second factor: remove it first", "faktor kedua sudah ada: hapus dulu"},
    Text{"no second factor waits to be confirmed",
         "tidak ada faktor kedua yang menunggu dipastikan"},
    Text{"this is not the code of now: is the clock of the phone right?",
         "ini bukan kode saat ini: apakah jam ponsel benar?"},
};

}  // namespace merpati::api
