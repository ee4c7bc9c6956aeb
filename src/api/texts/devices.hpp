// Texts about devices, their connectors and the files that they receive.
#pragma once

#include <array>

#include "api/texts/text.hpp"

namespace merpati::api {

inline constexpr std::array texts_of_devices{
    Text{"there is no device {}", "tidak ada perangkat {0}"},
    Text{"there is no such device", "perangkat itu tidak ada"},
    Text{"the device was removed", "perangkat sudah dihapus"},
    Text{"the device was removed meanwhile", "perangkat baru saja dihapus"},
    Text{"the device is not connected", "perangkat tidak terhubung"},
    Text{"{} is registered already", "{0} sudah terdaftar"},
    Text{"{} is a device of {} already: remove it there first",
         "{0} sudah menjadi perangkat {1}: hapus dulu di sana"},
    Text{"{} has its {} devices already: an administrator of the server can raise the account's "
         "`devices_max`",
         "{0} sudah mempunyai {1} perangkat: administrator server dapat menaikkan `devices_max` "
         "akun"},
    Text{"{} is on the connector {}: remove it first to move it",
         "{0} memakai konektor {1}: hapus dulu untuk memindahkannya"},
    Text{"accounts cannot add devices on the connector {} here",
         "akun tidak dapat menambah perangkat dengan konektor {0} di sini"},
    Text{"accounts of the plan {} cannot add devices themselves",
         "akun dengan paket {0} tidak dapat menambah perangkat sendiri"},
    Text{"the number of a device", "nomor sebuah perangkat"},
    Text{"must be the name of a connector", "harus nama sebuah konektor"},
    Text{"must be a phone number: 8 to 15 digits that begin with a country code, or with 0 for "
         "Indonesia",
         "harus nomor telepon: 8 sampai 15 angka yang diawali kode negara, atau 0 untuk Indonesia"},
    Text{"messages wait in this device's lane: let them go first, or clear its queue",
         "masih ada pesan yang menunggu di perangkat ini: biarkan terkirim dulu, atau kosongkan "
         "antreannya"},
    Text{"{} is {}: disconnect it first", "{0} sedang {1}: putuskan dulu"},
    Text{"{} was paired or connected too often: wait {} s",
         "{0} terlalu sering dipasangkan atau dihubungkan: tunggu {1} detik"},
    Text{"devices of this account were paired or connected too often: wait {} s",
         "perangkat akun ini terlalu sering dipasangkan atau dihubungkan: tunggu {0} detik"},
    // Connectors.
    Text{"this server has no connector '{}'; it has {}",
         "server ini tidak mempunyai konektor '{0}'; yang ada: {1}"},
    Text{"it did not start", "konektor itu tidak berjalan"},
    Text{"its worker cannot be started", "programnya tidak dapat dijalankan"},
    Text{"its worker is gone", "programnya berhenti"},
    Text{"the server is stopped", "server berhenti"},
    Text{"the device's connector did not start", "konektor perangkat tidak berjalan"},
    Text{"the device's connector fetches no media", "konektor perangkat tidak mengambil media"},
    Text{"the device's connector checks no numbers", "konektor perangkat tidak memeriksa nomor"},
    Text{"the device's connector cannot do that", "konektor perangkat tidak dapat melakukannya"},
    Text{"the device's connector is busy: try again", "konektor perangkat sibuk: coba lagi"},
    Text{"the device's connector is stopping: try again",
         "konektor perangkat sedang berhenti: coba lagi"},
    Text{"the device's connector failed", "konektor perangkat gagal"},
    Text{"the device's connector is not there, or did not answer in time",
         "konektor perangkat tidak ada, atau tidak menjawab pada waktunya"},
    Text{"what the device's connector answered makes no sense",
         "jawaban konektor perangkat tidak dapat dimengerti"},
    Text{"the connector does not answer: try again", "konektor tidak menjawab: coba lagi"},
    Text{"this is not the answer that the pairing waits for: check it, or begin the pairing again",
         "jawaban ini tidak cocok dengan yang diminta: periksa lagi, atau ulangi penautan dari "
         "awal"},
    Text{"the connector's worker has not said that the device stopped: try again",
         "program konektor belum menyatakan bahwa perangkat berhenti: coba lagi"},
    Text{"the platform has no such numbers", "tidak ada nomor seperti itu di platform"},
    Text{"the platform has it no more", "platform sudah tidak menyimpannya"},
    Text{"the platform asks to wait: try again later",
         "platform meminta menunggu: coba lagi nanti"},
    Text{"the platform cannot be reached: try again", "platform tidak dapat dihubungi: coba lagi"},
    Text{"{} (its code: {})", "{0:text} (kodenya: {1})"},
    Text{"the server is stopped: start it, its connector asks the platform",
         "server berhenti: jalankan dulu, konektornya yang bertanya ke platform"},
    Text{"the server is stopped: start it, its connector pairs the device",
         "server berhenti: jalankan dulu, konektornya yang menautkan perangkat"},
    Text{"the device has asked its platform about {} numbers: it may ask about one more each "
         "minute",
         "perangkat sudah menanyakan {0} nomor ke platform: satu lagi boleh tiap menit"},
    // Pairing.
    Text{"the connector cannot pair a device by '{}'; it has {}",
         "konektor tidak dapat menautkan perangkat dengan '{0}'; yang ada: {1}"},
    Text{"must be hold, send or discard", "harus hold, send atau discard"},
    Text{"{} is {}, so it is not paired anew: clear its queue instead",
         "{0} sedang {1}, jadi tidak ditautkan ulang: kosongkan antreannya saja"},
    Text{"{} messages were cancelled and more wait, so the pairing has not begun: repeat the call",
         "{0} pesan dibatalkan dan masih ada yang menunggu, jadi penautan belum dimulai: ulangi"},
    Text{"there is no QR code now: begin to pair the device, and ask again",
         "belum ada kode QR: mulai tautkan perangkat, lalu minta lagi"},
    Text{"the platform's text fits no QR code", "teks dari platform tidak muat dalam kode QR"},
    // Moving.
    Text{"{} was exported at {}: a program that uses the export and this server would destroy the "
         "link for each other. If no program uses it, connect the device with --force (field "
         "`force`); otherwise pair it again",
         "{0} diekspor pada {1}: program yang memakai ekspor itu dan server ini akan saling "
         "memutuskan tautan. Jika tidak ada program yang memakainya, hubungkan dengan --force "
         "(isian `force`); jika ada, tautkan ulang"},
    Text{"{} cannot be moved while its connector {} has trouble: {}",
         "{0} tidak dapat dipindahkan selama konektornya {1} bermasalah: {2:text}"},
    Text{"{} is on the connector {}, which keeps nothing that could be moved",
         "{0} memakai konektor {1}, yang tidak menyimpan apa pun untuk dipindahkan"},
    Text{"{} is being imported or exported: try again when that is done",
         "{0} sedang diimpor atau diekspor: coba lagi setelah selesai"},
    Text{"{} was changed meanwhile: look, and try again",
         "{0} baru saja berubah: periksa, lalu coba lagi"},
    Text{"the device was changed while it was exported", "perangkat berubah selama diekspor"},
    Text{"{} was never linked here: there is nothing to export",
         "{0} belum pernah ditautkan di sini: tidak ada yang dapat diekspor"},
    Text{"must hold Base64 texts", "harus berisi teks Base64"},
    Text{"must hold what the device's connector keeps",
         "harus berisi yang disimpan konektor perangkat"},
    Text{"a device's secret, or its name, is too long",
         "rahasia perangkat, atau namanya, terlalu panjang"},
    Text{"the device has too many secrets", "perangkat mempunyai terlalu banyak rahasia"},
    // Received files.
    Text{"there are no received media {}, or none that are still kept",
         "tidak ada media masuk {0}, atau sudah tidak disimpan"},
    Text{"the file is larger than it may be", "berkasnya terlalu besar"},
    Text{"the file has {} bytes: the server takes {} at most",
         "berkasnya {0} bita: server menerima paling banyak {1}"},
    Text{"the file cannot be written", "berkasnya tidak dapat ditulis"},
    Text{"too many downloads of this device, or account, are under way: wait for one to end",
         "terlalu banyak unduhan perangkat atau akun ini berjalan: tunggu salah satunya selesai"},
    Text{"too many downloads are under way: try again",
         "terlalu banyak unduhan sedang berjalan: coba lagi"},
    Text{"the device's connector wrote another file than it says, or keeps it",
         "konektor perangkat menulis berkas lain daripada yang dikatakannya, atau menahannya"},
    Text{"other media take the room that there is: try again",
         "ruang yang ada dipakai media lain: coba lagi"},
};

}  // namespace merpati::api
