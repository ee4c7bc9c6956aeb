// Uploads of campaigns: encodings, delimited files, JSON, numbers, names of columns. Whatever the
// bytes are, an upload reads the same in any pieces, and its rows keep to their limits. The first
// byte of the input chooses the parameters, the second the pieces.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/checks.hpp"
#include "base/utf8.hpp"
#include "campaign/audience/column_names.hpp"
#include "campaign/audience/number_text.hpp"
#include "campaign/audience/upload_reader.hpp"
#include "campaign/text/column_name.hpp"
#include "check.hpp"
#include "pieces.hpp"

namespace merpati::fuzz {
namespace {

using campaign::UploadOptions;
using campaign::UploadRow;

UploadOptions options_of(unsigned choice) {
    UploadOptions options;
    options.form = (choice & 1U) != 0 ? campaign::UploadForm::json : campaign::UploadForm::csv;
    if ((choice & 2U) != 0) {
        options.delimiter = ";\t,|"[(choice >> 2U) & 3U];
    }
    if ((choice & 16U) != 0) {
        options.header = (choice & 32U) != 0;
    }
    if ((choice & 64U) != 0) {
        options.number_column = (choice & 128U) != 0 ? "2" : "hp";
    }
    return options;
}

bool is_value(std::string_view text) {
    return is_utf8(text) && std::ranges::none_of(text, [](char byte) {
               const auto code = static_cast<unsigned char>(byte);
               return code == 0x7F || (code < 0x20 && byte != '\n' && byte != '\t');
           });
}

void check_row(const UploadRow& row, std::size_t columns) {
    check(row.values.size() <= columns, "a row has no value without a column");
    check(std::ranges::all_of(row.values, is_value), "values are UTF-8 without control characters");
    check(row.original.size() <= campaign::original_bytes_max && is_utf8(row.original),
          "an original is a short text");
    check(!row.number || admission::recipient_possible(row.number->text()),
          "a number is a possible one");
    check(!row.number || !row.original.empty(), "a number comes from a text");
    check(!row.number || !row.is_rounded, "a rounded number is none");
}

void check_columns(const std::vector<std::string>& columns) {
    check(columns.size() <= campaign::upload_columns_max, "columns keep to their number");
    for (std::size_t at = 0; at < columns.size(); ++at) {
        check(!columns[at].empty() && is_value(columns[at]), "a column has a name");
        check(campaign::find_column(columns, columns[at]) == at, "names of columns differ");
    }
}

struct Log {
    std::string text;
    std::string fault;
    friend bool operator==(const Log&, const Log&) = default;
};

void add(std::string& log, std::string_view text) {
    log += text;
    log += '\0';
}

Log read_all(std::string_view bytes, const UploadOptions& options, Pieces pieces) {
    Log log;
    const auto reader = campaign::make_upload_reader(options, true);
    std::size_t rows = 0;
    const auto sink = [&](UploadRow&& row) -> Result<void> {
        check_row(row, reader->columns().size());
        ++rows;
        add(log.text, row.number ? row.number->text() : "-");
        add(log.text, row.original);
        for (const auto& value : row.values) {
            add(log.text, value);
        }
        return {};
    };
    auto size = bytes.size();
    Result<void> taken;
    while (taken && !bytes.empty()) {
        const auto piece = bytes.substr(0, pieces.next());
        taken = reader->take(piece, sink);
        bytes.remove_prefix(piece.size());
    }
    taken = taken ? reader->finish(sink) : taken;
    check(rows <= size, "a row takes bytes");
    check_columns(reader->columns());
    for (const auto& name : reader->columns()) {
        add(log.text, name);
    }
    for (const auto& tag : reader->tags()) {
        add(log.text, tag);
    }
    if (!taken) {
        check(taken.error().code == ErrorCode::invalid_argument, "the upload is at fault");
        check(is_utf8(taken.error().detail), "a mistake is told in UTF-8");
        log.fault = taken.error().detail;
    }
    return log;
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    if (size < 2) {
        return 0;
    }
    const auto options = options_of(data[0]);
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
    const auto whole = read_all(bytes, options, Pieces::whole());
    check(whole == read_all(bytes, options, Pieces::bytes()), "bytes are read as the whole is");
    check(whole == read_all(bytes, options, Pieces::random(data[1])),
          "random pieces are read as the whole is");
    if (merpati::is_utf8(bytes)) {
        (void)merpati::campaign::read_number(bytes, "62");
        const auto name = merpati::campaign::column_name(bytes);
        check(merpati::campaign::column_name(name) == name, "a column's name stays as it is");
    }
    return 0;
}
