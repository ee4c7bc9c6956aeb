// Reads whole uploads in tests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "campaign/audience/upload_reader.hpp"

namespace merpati::campaign {

/// What an upload says: one line a row, "number|original|value;value", and the columns in front.
struct ReadUpload {
    std::string columns;  // "nomor;nama"
    std::vector<std::string> rows;
    std::vector<std::string> tags;
    int rounded = 0;
    std::string fault;

    friend bool operator==(const ReadUpload&, const ReadUpload&) = default;
};

inline std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const auto& text : texts) {
        all += (&text == texts.data() ? "" : ";") + text;
    }
    return all;
}

inline ReadUpload read_pieces(std::string_view bytes, std::size_t piece,
                              const UploadOptions& options) {
    ReadUpload read;
    const auto reader = make_upload_reader(options, true);
    const auto sink = [&](UploadRow&& row) -> Result<void> {
        while (!row.values.empty() && row.values.back().empty()) {
            row.values.pop_back();
        }
        read.rounded += row.is_rounded ? 1 : 0;
        read.rows.push_back((row.number ? row.number->text() : "-") + "|" + row.original + "|" +
                            joined(row.values));
        return {};
    };
    Result<void> taken;
    for (; taken && !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        taken = reader->take(bytes.substr(0, piece), sink);
    }
    taken = taken ? reader->finish(sink) : taken;
    read.fault = taken ? "" : taken.error().detail;
    read.columns = joined(reader->columns());
    read.tags = reader->tags();
    return read;
}

/// Reads whole, byte by byte and in other pieces, which must agree.
inline ReadUpload read_upload(std::string_view bytes, const UploadOptions& options = {}) {
    auto whole = read_pieces(bytes, bytes.size() + 1, options);
    for (const std::size_t piece : {1U, 7U, 70'000U}) {
        EXPECT_EQ(read_pieces(bytes, piece, options), whole) << "in pieces of " << piece;
    }
    return whole;
}

}  // namespace merpati::campaign
