// Texts about what a campaign needs before it can start.
#pragma once

#include <array>

#include "api/texts/text.hpp"

namespace merpati::api {

inline constexpr std::array texts_of_campaign_checks{
    // Its texts.
    Text{"there is no message: give a text, variants or a template",
         "belum ada pesan: isi teks, variasi atau templat"},
    Text{"there is more than one message: keep the text, the variants or the template",
         "pesannya lebih dari satu: pilih teks, variasi atau templat"},
    Text{"there are more than {} variants", "variasinya lebih dari {0}"},
    Text{"a text is empty", "ada teks yang kosong"},
    Text{"a text has more than {} bytes", "ada teks yang lebih dari {0} bita"},
    Text{"a text has more than {} choices", "ada teks dengan lebih dari {0} pilihan"},
    Text{"more than {} braces are open at '{}': write a backslash before a brace that is text",
         "lebih dari {0} kurung kurawal terbuka di '{1}': tulis garis miring terbalik di depan "
         "kurung kurawal yang merupakan teks"},
    Text{"a choice begins at '{}' and has no end: close it with a brace, or write a backslash "
         "before a brace that is text",
         "pilihan yang dimulai di '{0}' tidak ditutup: tutup dengan kurung kurawal, atau tulis "
         "garis miring terbalik di depan kurung kurawal yang merupakan teks"},
    Text{"the braces at '{}' are no placeholder: it has two on each side; write a backslash before "
         "a brace that is text",
         "kurung kurawal di '{0}' bukan tempat isian: tempat isian diapit dua kurung di tiap sisi; "
         "tulis garis miring terbalik di depan kurung kurawal yang merupakan teks"},
    Text{"'{}' stands between single braces: a column stands between two on each side; write a "
         "backslash before a brace that is text",
         "'{0}' diapit satu kurung kurawal: nama kolom diapit dua di tiap sisi; tulis garis miring "
         "terbalik di depan kurung kurawal yang merupakan teks"},
    Text{"the audience has no column '{}'; it has {}",
         "daftar penerima tidak mempunyai kolom '{0}'; yang ada: {1}"},
    Text{"the audience has no column '{}'; it has none",
         "daftar penerima tidak mempunyai kolom '{0}', atau kolom lain"},
    Text{"not every text has the placeholder optout_url, by which people opt out: add it to each "
         "text and to each option of a choice, or let people opt out by a keyword",
         "tidak semua teks memuat tempat isian optout_url, yang dipakai orang untuk berhenti: "
         "tambahkan ke tiap teks dan tiap isi pilihan, atau biarkan orang berhenti dengan kata "
         "kunci"},
    // Its template.
    Text{"variable {} of the template is empty", "isian {0} dari templat kosong"},
    Text{"the text of the template's header is empty", "teks untuk kepala templat kosong"},
    Text{"text {} of the template's buttons is empty", "teks tombol {0} dari templat kosong"},
    Text{"no variable of the template has the placeholder optout_url, by which people opt out: add "
         "it to one, or let people opt out by a keyword",
         "tidak ada isian templat yang memuat tempat isian optout_url, yang dipakai orang untuk "
         "berhenti: tambahkan ke salah satunya, atau biarkan orang berhenti dengan kata kunci"},
    Text{"device {} cannot send the template: {}",
         "perangkat {0} tidak dapat mengirim templat itu: {1:text}"},
    Text{"nobody can tell whether device {} can send the template: {}",
         "tidak diketahui apakah perangkat {0} dapat mengirim templat itu: {1:text}"},
    Text{"only devices on the connector cloud send templates",
         "hanya perangkat dengan konektor cloud yang mengirim templat"},
    Text{"the platform was not asked", "platform belum ditanya"},
    Text{"its business account has no template {} in the language {}",
         "akun bisnisnya tidak mempunyai templat {0} dalam bahasa {1}"},
    Text{"it is not approved: the platform calls it {}",
         "templat itu belum disetujui: platform menyebutnya {0}"},
    Text{"it has parts that no campaign fills",
         "templat itu mempunyai bagian yang tidak dapat diisi kampanye"},
    Text{"its header has a variable, and the campaign gives the header no text",
         "kepala templat itu mempunyai isian, sedangkan kampanye tidak memberi teksnya"},
    Text{"its header has no variable, and the campaign gives the header a text",
         "kepala templat itu tidak mempunyai isian, sedangkan kampanye memberi teksnya"},
    Text{"its header needs a file: give the campaign media",
         "kepala templat itu memerlukan berkas: beri kampanye itu media"},
    Text{"its header takes no file: remove the media",
         "kepala templat itu tidak memuat berkas: hapus medianya"},
    Text{"it has {} buttons with a variable, and the campaign fills {}",
         "templat itu mempunyai {0} tombol dengan isian, sedangkan kampanye mengisi {1}"},
    Text{"it has {} variables, and the campaign fills {}",
         "templat itu mempunyai {0} isian, sedangkan kampanye mengisi {1}"},
    Text{"the server is stopped: it asks nobody", "server berhenti: tidak ada yang ditanya"},
    // Its messages.
    Text{"the campaign has no recipients yet", "kampanye ini belum mempunyai penerima"},
    Text{"no recipient would get a message", "tidak ada penerima yang akan mendapat pesan"},
    Text{"the text of row {} has {} characters, and the devices send at most {}",
         "teks baris {0} berisi {1} karakter, sedangkan perangkat mengirim paling banyak {2}"},
    Text{"a text has {} characters, and the devices send at most {}",
         "teksnya berisi {0} karakter, sedangkan perangkat mengirim paling banyak {1}"},
    Text{"rows without a value for a placeholder that has no fallback are left out; the first is "
         "row {}",
         "baris tanpa isi untuk tempat isian yang tidak mempunyai pengganti dilewati; yang pertama "
         "baris {0}"},
    Text{"this recipient is left out: a placeholder without a fallback has no value",
         "penerima ini dilewati: ada tempat isian tanpa pengganti yang tidak terisi"},
    Text{"most numbers begin with {}, but some with {}: a spreadsheet may have removed their "
         "leading zeros",
         "kebanyakan nomor diawali {0}, tetapi ada yang diawali {1}: mungkin nol di depannya "
         "dihapus oleh program lembar kerja"},
    Text{"the file at '{}' cannot be sent: {}", "berkas di '{0}' tidak dapat dikirim: {1:text}"},
    Text{"the file at '{}' was not seen in time: it is judged when its message is sent",
         "berkas di '{0}' tidak sempat diperiksa: berkas itu dinilai saat pesannya dikirim"},
    Text{"files of its type are not sent", "berkas jenis itu tidak dikirim"},
    Text{"its content is not of a type that is sent", "isinya bukan jenis yang dikirim"},
    Text{"it is larger than the server sends",
         "berkasnya lebih besar daripada yang dikirim server"},
    Text{"its host says that it is not there, or not for everybody",
         "host-nya menyatakan berkas itu tidak ada, atau tidak terbuka untuk umum"},
    // Its plan and account.
    Text{"say in 'consent' why these people may be written to: marketing needs it",
         "tulis di 'consent' mengapa orang-orang ini boleh dikirimi pesan: pemasaran "
         "memerlukannya"},
    Text{"{} is not a device of this account", "{0} bukan perangkat akun ini"},
    Text{"device {} is not connected", "perangkat {0} tidak terhubung"},
    Text{"the platform lets device {} begin no new chats at present",
         "platform sedang tidak mengizinkan perangkat {0} memulai percakapan baru"},
    Text{"device {} is paused", "perangkat {0} sedang dijeda"},
    Text{"further devices cannot send now", "perangkat lain juga tidak dapat mengirim sekarang"},
};

}  // namespace merpati::api
