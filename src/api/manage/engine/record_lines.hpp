// Exports: all records of a list, as lines of JSON or as a table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/manage/engine/csv.hpp"
#include "api/manage/engine/fields.hpp"
#include "api/manage/engine/handlers.hpp"

namespace merpati::api::manage {

enum class ExportFormat : std::uint8_t { ndjson, csv };

/// Takes `format`, which is `usual` if it is not given.
[[nodiscard]] inline ExportFormat take_export_format(Fields& fields, ExportFormat usual) {
    const auto parse = [](std::string_view word) {
        return word == "ndjson" ? std::optional{ExportFormat::ndjson}
               : word == "csv"  ? std::optional{ExportFormat::csv}
                                : std::nullopt;
    };
    return fields.word("format", parse, "ndjson or csv").value_or(usual);
}

/// The records of an export, read from the store a page at a time. Between two pieces it holds only
/// the position in the list: records of a page that are too many for one piece are read again, so
/// that a client that does not read holds no page.
///
/// `Page` has `records`, and `next`: the position after them; empty: they are the last ones.
template <class Page>
class RecordLines : public Lines {
public:
    RecordLines(const Context& context, ExportFormat format) : context_(context), format_(format) {}

    Result<Piece> next() override {
        Piece piece;
        const bool is_table = format_ == ExportFormat::csv;
        if (is_table && !begun_) {
            add_header(piece.text);
            end_record(piece.text);
        }
        begun_ = true;
        const auto page = read_page(after_, limit_);
        if (!page) {
            return pass(page);
        }
        std::size_t shown = 0;
        while (shown < page->records.size() && piece.text.size() < bytes_enough) {
            const auto& record = page->records[shown++];
            if (is_table) {
                add_row(piece.text, record);
                end_record(piece.text);
            } else {
                piece.text += boost::json::serialize(line_of(record));
                piece.text += '\n';
            }
        }
        const bool all = shown == page->records.size();
        piece.is_last = all && !page->next;
        after_ = all ? page->next : position_of(page->records[shown - 1]);
        limit_ = all ? std::min(page_size, limit_ * 2) : shown;
        return piece;
    }

    [[nodiscard]] std::string_view content_type() const noexcept override {
        return format_ == ExportFormat::csv ? csv_type : Lines::content_type();
    }

protected:
    static constexpr std::size_t page_size = 200;
    using Record = decltype(Page::records)::value_type;
    using Position = decltype(Page::next);

    /// At most `limit` records after the position, or the first ones.
    [[nodiscard]] Result<Page> read_page(const Position& after, std::size_t limit) const {
        return context_.read([&](store::Reader& reader) { return read(reader, after, limit); });
    }
    virtual Result<Page> read(store::Reader& reader, const Position& after,
                              std::size_t limit) const = 0;
    virtual Position position_of(const Record& record) const = 0;
    virtual boost::json::object line_of(const Record& record) const = 0;
    /// The cells of the table's first line, which has the columns' names, and those of a record.
    virtual void add_header(std::string& csv) const = 0;
    virtual void add_row(std::string& csv, const Record& record) const = 0;

private:
    static constexpr std::size_t bytes_enough = 128UL * 1024;  // A page of usual records.

    const Context& context_;
    const ExportFormat format_;
    Position after_{};
    std::size_t limit_ = page_size;
    bool begun_ = false;
};

}  // namespace merpati::api::manage
