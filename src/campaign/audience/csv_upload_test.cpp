// Lists as spreadsheets and people really write them.
#include "campaign/audience/csv_upload.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/audience/upload_fixture.hpp"

namespace merpati::campaign {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string utf16(std::string_view ascii, bool is_little) {
    std::string bytes = is_little ? "\xFF\xFE" : "\xFE\xFF";
    for (const char c : ascii) {
        bytes += is_little ? std::string{c, '\0'} : std::string{'\0', c};
    }
    return bytes;
}

TEST(CsvUploadTest, ReadsASpreadsheetWithSemicolonsAndAMarkOfUtf8) {
    const auto read = read_upload(
        "\xEF\xBB\xBFNomor HP;Nama;Kota\r\n0812-3456-7890;Bu Sri;Surabaya\r\n"
        "+62 813 4567 8901;\"Andi; S.Kom\";\r\n");
    EXPECT_EQ(read.columns, "Nomor HP;Nama;Kota");
    EXPECT_THAT(read.rows,
                ElementsAre("6281234567890|0812-3456-7890|0812-3456-7890;Bu Sri;Surabaya",
                            "6281345678901|+62 813 4567 8901|+62 813 4567 8901;Andi; S.Kom"));
}

TEST(CsvUploadTest, ReadsAnExportOfContactsBack) {
    const std::string head =
        "number,name,tags,consent_source,consent_at,consent_text,Nomor HP,saldo";
    const auto row = "\r\n6281234567890,'=Sri,\"a,b\",,,,0812345678,\"'-5;'+1;it's\"\r\n";
    const auto read = read_upload(head + row);
    EXPECT_THAT(read.rows, ElementsAre("6281234567890|6281234567890|6281234567890;=Sri;a,b;;;;"
                                       "0812345678;-5;+1;it's"));
    const auto other = read_upload("x," + head + "\r\nx,1,'=Sri,,,,,0812345678,'-5\r\n");
    EXPECT_THAT(other.rows, ElementsAre("62812345678|0812345678|x;1;'=Sri;;;;;0812345678;'-5"));
}

TEST(CsvUploadTest, ReadsUnicodeTextOfASpreadsheetInBothByteOrders) {
    const auto text = "Nama\tTelepon\r\nBudi\t081234567890\r\n";
    for (const bool is_little : {true, false}) {
        const auto read = read_upload(utf16(text, is_little));
        EXPECT_EQ(read.columns, "Nama;Telepon");
        EXPECT_THAT(read.rows, ElementsAre("6281234567890|081234567890|Budi;081234567890"));
    }
    // An emoji, a surrogate without its other half, and a last byte alone.
    const auto odd = read_upload("\xFF\xFE" + "6\0002\0008\0001\0002\0003\0004\0005\0,\0"s +
                                 "\x3D\xD8\x00\xDE"s + "a\0\x00\xD8z\0z"s);
    EXPECT_THAT(odd.rows, ElementsAre("62812345|62812345|62812345;\xF0\x9F\x98\x80"
                                      "a\xEF\xBF\xBDz\xEF\xBF\xBD"));
}

TEST(CsvUploadTest, ReadsEachCellAsUtf8OrElseAsWindows1252) {
    const auto read = read_upload(
        "hp,nama\n081234567890,Ren\xE9 \x96 caf\xE9\n"
        "081234567891,Ren\xC3\xA9\n081234567892,\x81x\n");
    EXPECT_THAT(read.rows, ElementsAre("6281234567890|081234567890|081234567890;Ren\u00E9 \u2013 "
                                       "caf\u00E9",
                                       "6281234567891|081234567891|081234567891;Ren\u00E9",
                                       "6281234567892|081234567892|081234567892;\uFFFDx"));
}

TEST(CsvUploadTest, UnderstandsTheLineThatNamesTheDelimiter) {
    EXPECT_THAT(read_upload("sep=|\r\nhp|nama, gelar; lain\n0812345678|a,b;c\n").rows,
                ElementsAre("62812345678|0812345678|0812345678;a,b;c"));
    EXPECT_THAT(read_upload("\"sep=;\"\n0812345678;x").rows,
                ElementsAre("62812345678|0812345678|0812345678;x"));
    EXPECT_THAT(read_upload("sep=;").fault, "the upload has no rows");
}

TEST(CsvUploadTest, TakesTheDelimiterThatFitsMostRows) {
    for (const char delimiter : {',', ';', '\t', '|'}) {
        const std::string d{delimiter};
        const auto read = read_upload("nama" + d + "hp" + d + "saldo\n" + "Budi" + d +
                                      "0812345678" + d + "\"1,5;2\t3|4\"\nAni" + d + "0812345679");
        EXPECT_EQ(read.columns, "nama;hp;saldo") << delimiter;
        EXPECT_THAT(read.rows, SizeIs(2)) << delimiter;
    }
    EXPECT_EQ(read_upload("hp;nama\n0812345678;a,b\n0812345679;c,d\n", {.delimiter = ','}).columns,
              "hp;nama;2");
}

TEST(CsvUploadTest, WithoutAHeaderColumnsHaveTheirPositionsAsNames) {
    const auto read = read_upload("Budi,0812345678\nAni,0812345679,,Solo\n");
    EXPECT_EQ(read.columns, "1;2;4");
    EXPECT_THAT(read.rows, ElementsAre("62812345678|0812345678|Budi;0812345678",
                                       "62812345679|0812345679|Ani;0812345679;Solo"));
    EXPECT_EQ(read_upload("0812345678").columns, "1");
}

TEST(CsvUploadTest, TheParameterDecidesWhetherThereIsAHeader) {
    EXPECT_THAT(read_upload("hp\n0812345678\n", {.header = false}).rows,
                ElementsAre("-|hp|hp", "62812345678|0812345678|0812345678"));
    const auto read = read_upload("0812345677\n0812345678\n", {.header = true});
    EXPECT_EQ(read.columns, "0812345677");
    EXPECT_THAT(read.rows, SizeIs(1));
}

TEST(CsvUploadTest, AFirstRowWithADamagedNumberIsARow) {
    EXPECT_THAT(read_upload("6.28E+12,a\n0812345678,b\n0812345679,c\n").rows, SizeIs(3));
}

TEST(CsvUploadTest, FindsTheColumnOfTheNumbersByNameInBothLanguages) {
    for (const auto* name :
         {"Nomor",        "No HP",       "no_hp",           "NO. HP",       "HP",
          "nohp",         "NomorHP",     "Telepon",         "No. Telp",     "tlp",
          "No WA",        "whatsapp",    "Nomor Handphone", "ponsel",       "phone",
          "Phone Number", "phoneNumber", "phonenumber",     "mobile",       "Mobile No",
          "msisdn",       "number",      "Nomor Tujuan",    "HP Orang Tua", "Phone 1 - Value"}) {
        // The first column has possible numbers, too.
        const auto read = read_upload("Kode,"s + name + ",Nama\n12345678,0812345678,Budi\n");
        EXPECT_THAT(read.rows, ElementsAre("62812345678|0812345678|12345678;0812345678;Budi"))
            << name;
    }
}

TEST(CsvUploadTest, ANameIsNotBelievedAgainstTheCells) {
    EXPECT_THAT(read_upload("No,Nama,Kontak\n1,Budi,0812345678\n2,Ani,0812345679\n").rows,
                ElementsAre("62812345678|0812345678|1;Budi;0812345678",
                            "62812345679|0812345679|2;Ani;0812345679"));
    EXPECT_THAT(read_upload("Nomor,Nama,X\n1,Budi,0812345678\n2,Ani,0812345679\n").rows,
                ElementsAre("62812345678|0812345678|1;Budi;0812345678",
                            "62812345679|0812345679|2;Ani;0812345679"));
}

TEST(CsvUploadTest, FindsTheColumnOfTheNumbersByItsCells) {
    // Dates and amounts are possible numbers of some country; those of the country are likelier.
    const auto read = read_upload(
        "tanggal;total;pelanggan\n2026-11-25;15000000;081234567890\n2026-11-26;1750000;-\n");
    EXPECT_THAT(read.rows,
                ElementsAre("6281234567890|081234567890|2026-11-25;15000000;081234567890",
                            "-|-|2026-11-26;1750000;-"));
    EXPECT_THAT(read_upload("nama,kota\nBudi,Solo\n").fault,
                HasSubstr("no column has phone numbers: say in `number_column`"));
    EXPECT_THAT(read_upload("No,Nama\n1,Budi\n2,Ani\n").fault, HasSubstr("no column has phone"));
}

TEST(CsvUploadTest, AColumnIsNamedByTheParameter) {
    const auto text = "hp rumah,HP Kantor\n0812345678,0812345679\n";
    EXPECT_THAT(read_upload(text, {.number_column = " hp kantor"}).rows,
                ElementsAre("62812345679|0812345679|0812345678;0812345679"));
    EXPECT_THAT(read_upload(text, {.number_column = "2"}).rows,
                ElementsAre("62812345679|0812345679|0812345678;0812345679"));
    for (const auto* wrong : {"", "0", "3", "99999999999999999999", "kota", "-1", "1x"}) {
        EXPECT_THAT(read_upload(text, {.number_column = wrong}).fault,
                    HasSubstr("the upload has no column '"s + wrong + "'"));
    }
    EXPECT_THAT(read_upload("2,1\n0812345678,x\n", {.number_column = "2", .header = true}).rows,
                ElementsAre("62812345678|0812345678|0812345678;x"));
}

TEST(CsvUploadTest, NamesColumnsSoThatTheyDifferAndFitPlaceholders) {
    const auto read = read_upload(
        "HP, Nama ,nama,,NAMA_2,{a|b},\"Alamat\nrumah\"\n0812345678,a,b,c,"
        "d,e,f\n");
    EXPECT_EQ(read.columns, "HP;Nama;nama_2;4;NAMA_2_2;a b;Alamat rumah");
    EXPECT_THAT(read.rows, ElementsAre("62812345678|0812345678|0812345678;a;b;c;d;e;f"));
}

TEST(CsvUploadTest, ReadsRaggedRowsAndEmptyColumnsAtTheEnd) {
    const auto read =
        read_upload("hp;nama;;;\n0812345678;Budi;;;\n0812345679\n0812345670;Ani;;;x\n");
    EXPECT_EQ(read.columns, "hp;nama;5");
    EXPECT_THAT(read.rows, ElementsAre("62812345678|0812345678|0812345678;Budi",
                                       "62812345679|0812345679|0812345679",
                                       "62812345670|0812345670|0812345670;Ani;x"));
    EXPECT_EQ(
        read_upload("hp;nama" + std::string(300, ';') + "\n0812345678;a" + std::string(300, ';'))
            .columns,
        "hp;nama");
}

TEST(CsvUploadTest, AColumnThatGetsItsFirstTextLateIsAddedAtTheEnd) {
    std::string text = "hp,,nama\n";
    for (int row = 0; row < 5'000; ++row) {
        text += "08123456789,,Budi\n";
    }
    const auto read = read_upload(text + "0812345678,x,Ani\n");
    EXPECT_EQ(read.columns, "hp;nama;2");
    ASSERT_THAT(read.rows, SizeIs(5'001));
    EXPECT_EQ(read.rows.back(), "62812345678|0812345678|0812345678;Ani;x");
}

TEST(CsvUploadTest, KeepsWhatTheNumberWasButNotMoreThanNeeded) {
    const auto read =
        read_upload("hp\n6.28123E+12\n" + std::string(300, 'x') + "\n0812x\n0812345678");
    EXPECT_EQ(read.rounded, 1);
    EXPECT_EQ(read.rows[0], "-|6.28123E+12|6.28123E+12");
    EXPECT_EQ(read.rows[1], "-|" + std::string(256, 'x') + "|" + std::string(300, 'x'));
    EXPECT_EQ(read.rows[2], "-|0812x|0812x");
}

TEST(CsvUploadTest, KeepsLineEndsInValuesAndNoOtherControlCharacters) {
    const auto read =
        read_upload("hp,alamat\r\n0812345678,\"Jl. A\r\nNo.\t1\x01\x7F\xC2\x85z\"\r\n");
    EXPECT_THAT(read.rows, ElementsAre("62812345678|0812345678|0812345678;Jl. A\nNo.\t1   z"));
}

TEST(CsvUploadTest, RefusesWhatIsNoText) {
    EXPECT_THAT(read_upload("PK\x03\x04\x14\0\x06\0x"s).fault,
                HasSubstr("this is a workbook (.xlsx"));
    EXPECT_THAT(read_upload("\xD0\xCF\x11\xE0\xA1\xB1"s).fault, HasSubstr("this is a workbook"));
    EXPECT_THAT(read_upload("hp\n0812\0\0"s).fault, HasSubstr("this is not a text file"));
    EXPECT_THAT(read_upload("%PDF-1.7\n"s).fault, HasSubstr("this is not a text file"));
    EXPECT_THAT(read_upload("\xFF\xFE\0\0h\0\0\0"s).fault, HasSubstr("this is not a text file"));
}

TEST(CsvUploadTest, RefusesAnUploadWithoutRows) {
    for (const auto* text : {"", "\n\n", "\xEF\xBB\xBF", "\xFF\xFE"}) {
        EXPECT_EQ(read_upload(text).fault, "the upload has no rows");
    }
    const auto header = read_upload("nomor,nama\n");
    EXPECT_EQ(header.fault, "");
    EXPECT_EQ(header.columns, "nomor;nama");
    EXPECT_THAT(header.rows, IsEmpty());
}

TEST(CsvUploadTest, SaysInWhichLineAMistakeIs) {
    EXPECT_THAT(read_upload("sep=;\nhp;nama\n0812345678;\"Budi\n0812345679;x\n").fault,
                HasSubstr("line 3: a quote opens a cell and is never closed"));
    std::string text = "hp,nama\n";
    for (int row = 0; row < 5'000; ++row) {
        text += "08123456789,Budi\n";
    }
    EXPECT_THAT(read_upload(text + "1,\"x").fault, HasSubstr("line 5002: a quote opens"));
    EXPECT_THAT(read_upload("hp,nama\n1," + std::string(2'000, '\xE9')).fault, "");
    EXPECT_EQ(read_upload("hp,nama\n1," + std::string(2'049, '\xE9')).fault,
              "line 2: a cell has more than 4096 bytes in UTF-8: shorten it");
}

}  // namespace
}  // namespace merpati::campaign
