// Texts about campaigns and uploaded lists: their audiences, contacts and suppressions.
#pragma once

#include <array>

#include "api/texts/text.hpp"

namespace merpati::api {

inline constexpr std::array texts_of_audiences{
    Text{"another upload of this campaign is under way: wait until it ends",
         "unggahan lain untuk kampanye ini sedang berlangsung: tunggu sampai selesai"},
    Text{"the campaign is not a draft", "kampanye itu bukan draf"},
    Text{"the campaign needs {} credits, and the account has {}",
         "kampanye memerlukan {0} kredit, dan akun mempunyai {1}"},
    Text{"the campaign {} is running and sends by this device: pause it, or take the device out of "
         "it",
         "kampanye {0} sedang berjalan dan mengirim lewat perangkat ini: jeda dulu, atau keluarkan "
         "perangkatnya dari sana"},
    Text{"a campaign cannot have so many rows",
         "kampanye tidak dapat mempunyai baris sebanyak itu"},
    Text{"{} rows were uploaded, but {} are stored",
         "{0} baris diunggah, tetapi {1} yang tersimpan"},
    Text{"there is no such campaign", "kampanye itu tidak ada"},
    Text{"the uploads of this campaign have more than {} columns together: remove those that no "
         "message needs",
         "unggahan kampanye ini bersama-sama mempunyai lebih dari {0} kolom: hapus yang tidak "
         "dipakai pesan"},
    Text{"the list has more than {} bytes: split it", "daftarnya lebih dari {0} byte: pecahlah"},
    // Parameters.
    Text{"`country` must be a country code of 1 to 3 digits, such as 62",
         "`country` harus kode negara dari 1 sampai 3 angka, seperti 62"},
    Text{"`delimiter` must be a comma, a semicolon, a pipe or a tab",
         "`delimiter` harus koma, titik koma, garis tegak atau tab"},
    Text{"`tag` must be a text of 1 to {} bytes, and given at most {} times",
         "`tag` harus teks dari 1 sampai {0} bita, dan diberikan paling banyak {1} kali"},
    Text{"the upload has no column '{}': `number_column` is a name of its first row, or a position "
         "from 1",
         "unggahan tidak mempunyai kolom '{0}': `number_column` adalah nama di baris pertama, atau "
         "urutan mulai dari 1"},
    // The file.
    Text{
        "this is a workbook (.xlsx, .xls or .ods), not a CSV file: save it as \"CSV UTF-8\" in the "
        "spreadsheet program and upload that",
        "ini buku kerja (.xlsx, .xls atau .ods), bukan berkas CSV: simpan sebagai \"CSV UTF-8\" di "
        "program lembar kerja, lalu unggah hasilnya"},
    Text{"this is not a text file: upload a CSV file in UTF-8, or in UTF-16 with a byte-order mark",
         "ini bukan berkas teks: unggah berkas CSV dalam UTF-8, atau UTF-16 dengan tanda urutan "
         "bita"},
    Text{"the upload has no rows", "unggahan tidak berisi baris"},
    Text{"no column has phone numbers: say in `number_column` which one it is, by its name or its "
         "position",
         "tidak ada kolom yang berisi nomor telepon: sebutkan di `number_column` kolom yang mana, "
         "dengan nama atau urutannya"},
    Text{"line {}: a quote opens a cell and is never closed: close it, or put the whole cell in "
         "quotes and double those within it",
         "baris {0}: tanda kutip membuka sel dan tidak pernah ditutup: tutuplah, atau apit seluruh "
         "sel dengan tanda kutip dan gandakan yang ada di dalamnya"},
    Text{"line {}: a quote opens a cell that does not end at a closing quote in line {}: close it "
         "before the end of its line, or double the quotes within the cell",
         "baris {0}: tanda kutip membuka sel yang tidak berakhir pada tanda kutip penutup di baris "
         "{1}: tutuplah sebelum akhir barisnya, atau gandakan tanda kutip di dalam sel"},
    Text{"line {}: a cell has more than {} bytes: shorten it; perhaps a quote is not closed",
         "baris {0}: sebuah sel lebih dari {1} bita: pendekkan; mungkin ada tanda kutip yang tidak "
         "ditutup"},
    Text{"line {}: a cell has more than {} bytes in UTF-8: shorten it",
         "baris {0}: sebuah sel lebih dari {1} bita dalam UTF-8: pendekkan"},
    Text{"line {}: the row has more than {} bytes: remove columns that no message needs",
         "baris {0}: barisnya lebih dari {1} bita: hapus kolom yang tidak dipakai pesan"},
    Text{"line {}: the row has more than {} columns: remove those that no message needs",
         "baris {0}: barisnya lebih dari {1} kolom: hapus yang tidak dipakai pesan"},
    // JSON.
    Text{"the JSON must be one object with one field: `numbers`, `recipients` or `tags`",
         "JSON harus satu objek dengan satu isian: `numbers`, `recipients` atau `tags`"},
    Text{"this is not JSON: {}", "ini bukan JSON: {0}"},
    Text{"the JSON has more than {} bytes: upload the list as CSV",
         "JSON lebih dari {0} bita: unggah daftarnya sebagai CSV"},
    Text{"`tags` must be a list of 1 to {} texts of at most {} bytes",
         "`tags` harus daftar 1 sampai {0} teks, masing-masing paling banyak {1} bita"},
    Text{"entry {}: {}", "entri {0}: {1:text}"},
    Text{"must be a phone number, as a text or a whole number",
         "harus nomor telepon, sebagai teks atau bilangan bulat"},
    Text{"must be an object with `number`, and perhaps `values`: an object of texts",
         "harus objek dengan `number`, dan mungkin `values`: objek berisi teks"},
    Text{"it has no `number`", "tidak ada `number`"},
    Text{"a value has no name", "sebuah nilai tidak mempunyai nama"},
    Text{"a text has more than {} bytes: shorten it", "sebuah teks lebih dari {0} bita: pendekkan"},
    Text{"the values have more than {} bytes: remove those that no message needs",
         "nilai-nilainya lebih dari {0} bita: hapus yang tidak dipakai pesan"},
    Text{"the upload has more than {} columns: remove those that no message needs",
         "unggahan mempunyai lebih dari {0} kolom: hapus yang tidak dipakai pesan"},
    // Contacts.
    Text{"the account has too many contacts", "akun mempunyai terlalu banyak kontak"},
    Text{"{} would have more than {} values or {} tags: remove columns or tags from the list",
         "{0} akan mempunyai lebih dari {1} nilai atau {2} tag: hapus kolom atau tag dari daftar"},
};

}  // namespace merpati::api
