#include "campaign/audience/csv_reader.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/audience/upload.hpp"

namespace merpati::campaign {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<void> feed(CsvReader& reader, std::string_view text, std::size_t piece,
                  const CsvReader::Sink& sink) {
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
        if (auto taken = reader.take(text.substr(0, piece), sink); !taken) {
            return taken;
        }
    }
    return reader.finish(sink);
}

struct ReadRows {
    Rows rows;
    std::vector<std::uint64_t> lines;
    std::string fault;
};

ReadRows read_in(std::string_view text, std::size_t piece, char delimiter) {
    ReadRows read;
    CsvReader reader{delimiter};
    const auto fed = feed(reader, text, piece, [&](const CsvReader::Row& row) -> Result<void> {
        read.rows.emplace_back(row.cells.begin(), row.cells.end());
        read.lines.push_back(row.line);
        return {};
    });
    read.fault = fed ? "" : fed.error().detail;
    return read;
}

/// Reads whole and byte by byte, which must agree.
ReadRows read(std::string_view text, char delimiter = ',') {
    auto whole = read_in(text, text.size() + 1, delimiter);
    const auto bytes = read_in(text, 1, delimiter);
    EXPECT_EQ(whole.rows, bytes.rows) << text;
    EXPECT_EQ(whole.lines, bytes.lines) << text;
    EXPECT_EQ(whole.fault, bytes.fault) << text;
    return whole;
}

TEST(CsvReaderTest, EndsRowsAtAnyLineEnd) {
    EXPECT_EQ(read("a,b\nc,d\r\ne,f\rg,h").rows,
              (Rows{{"a", "b"}, {"c", "d"}, {"e", "f"}, {"g", "h"}}));
    EXPECT_EQ(read("a\n").rows, (Rows{{"a"}}));
    EXPECT_EQ(read("").rows, Rows{});
}

TEST(CsvReaderTest, LeavesOutRowsWithoutText) {
    const auto rows = read("a\n\n\r\n;;\n  \n\"\"\nb", ';');
    EXPECT_EQ(rows.rows, (Rows{{"a"}, {"b"}}));
    EXPECT_THAT(rows.lines, ElementsAre(1, 7));
}

TEST(CsvReaderTest, KeepsDelimitersLineEndsAndDoubledQuotesWithinQuotes) {
    EXPECT_EQ(read("1,\"a,b\r\nc \"\"d\"\"\",2\n3").rows,
              (Rows{{"1", "a,b\nc \"d\"", "2"}, {"3"}}));
    EXPECT_EQ(read("1, \"a,b\" ,2").rows, (Rows{{"1", "a,b", "2"}}));
    EXPECT_EQ(read("1,\"\",2").rows, (Rows{{"1", "", "2"}}));
}

TEST(CsvReaderTest, TakesAQuoteElsewhereAsText) {
    EXPECT_EQ(read("1,pipe 5\" x,2\n3,4,5").rows,
              (Rows{{"1", "pipe 5\" x", "2"}, {"3", "4", "5"}}));
}

TEST(CsvReaderTest, LosesNoRowToTextBehindAClosingQuote) {
    EXPECT_EQ(read("1,\"Budi\" S,x\n2,\"Ani\",y\n").rows,
              (Rows{{"1", "Budi S", "x"}, {"2", "Ani", "y"}}));
    EXPECT_EQ(read("1,\"Toko \"Maju\" Jaya\",x\n2,b,y").rows,
              (Rows{{"1", "Toko Maju\" Jaya\"", "x"}, {"2", "b", "y"}}));
}

TEST(CsvReaderTest, RefusesAQuoteThatIsNotClosedInsteadOfJoiningRows) {
    EXPECT_THAT(read("a,b\n1,\"Budi\n2,Ani\n").fault,
                HasSubstr("line 2: a quote opens a cell and"));
    EXPECT_THAT(
        read("a,b\n1,\"Budi,x\n2,\"Ani\",y\n").fault,
        HasSubstr("line 2: a quote opens a cell that does not end at a closing quote in line 3"));
    EXPECT_THAT(read("1,\"Budi,x\n2,\" Ani\",y\n").fault, HasSubstr("line 1: a quote opens"));
    EXPECT_THAT(read("1,\"" + std::string(5'000, 'x')).fault, HasSubstr("line 1: a cell has more"));
}

TEST(CsvReaderTest, NumbersRowsByTheLineInWhichTheyBegin) {
    EXPECT_THAT(read("a\r\n\"b\r\nb\"\r\rc\nd").lines, ElementsAre(1, 2, 5, 6));
}

TEST(CsvReaderTest, ReadsRowsOfAnyLength) {
    EXPECT_EQ(read("a;b\nc\nd;e;f;\n", ';').rows, (Rows{{"a", "b"}, {"c"}, {"d", "e", "f", ""}}));
    EXPECT_EQ(read("a\tb \t\n", '\t').rows, (Rows{{"a", "b", ""}}));
}

TEST(CsvReaderTest, KeepsToItsLimits) {
    const std::string cell(upload_cell_bytes_max, 'x');
    EXPECT_EQ(read(cell + "," + cell).rows, (Rows{{cell, cell}}));
    EXPECT_EQ(read("a\n" + cell + "x").fault,
              "line 2: a cell has more than 4096 bytes: shorten it; perhaps a quote is not closed");
    const std::string columns(upload_columns_max - 1, ',');
    EXPECT_EQ(read("a" + columns + ",,,,\n").rows.front().size(), upload_columns_max);
    EXPECT_EQ(read(columns + ",a").fault,
              "line 1: the row has more than 64 columns: remove those that no message needs");
    EXPECT_THAT(read("b\n" + std::string(upload_row_bytes_max, ',') + ",a").fault,
                HasSubstr("line 2: the row has more than 65536 bytes"));
}

TEST(CsvReaderTest, PassesOnAnErrorOfItsSink) {
    CsvReader reader{','};
    int rows = 0;
    const auto fed = feed(reader, "a\nb\n", 9, [&](const CsvReader::Row&) -> Result<void> {
        ++rows;
        return fail(ErrorCode::busy, "later");
    });
    EXPECT_EQ(fed.error().detail, "later");
    EXPECT_EQ(rows, 1);
}

}  // namespace
}  // namespace merpati::campaign
