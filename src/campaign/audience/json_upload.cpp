#include "campaign/audience/json_upload.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include "base/utf8.hpp"
#include "campaign/audience/column_names.hpp"
#include "campaign/audience/csv_reader.hpp"
#include "campaign/audience/number_text.hpp"
#include "campaign/text/column_name.hpp"
#include "model/contact.hpp"

namespace merpati::campaign {
namespace json = boost::json;

namespace {

/// An object, a list, an object in it and its values; one more, to see what does not belong there.
constexpr std::size_t depth_max = 5;

std::unexpected<Error> not_an_upload() {
    return fail(ErrorCode::invalid_argument,
                "the JSON must be one object with one field: `numbers`, `recipients` or `tags`");
}

}  // namespace

/// Receives the parser's events. Each returns false after a fault, which is in `fault`.
class JsonUploadHandler {
public:
    // Only `append` and the upload's size limit these.
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = max_object_size;
    static constexpr std::size_t max_key_size = max_object_size;
    static constexpr std::size_t max_string_size = max_object_size;

    bool on_document_begin(json::error_code&) { return true; }
    bool on_document_end(json::error_code&) { return true; }

    bool on_object_begin(json::error_code& error) {
        ++depth_;
        if (depth_ == 1) {
            return true;
        }
        if (depth_ == 3 && list_ == List::recipients) {
            row_ = {};
            has_number_ = false;
            row_bytes_ = 0;
            return true;
        }
        return depth_ == 4 && field_ == "values" ? true : refuse(wrong(), error);
    }
    bool on_object_end(std::size_t, json::error_code& error) {
        --depth_;
        if (depth_ == 2) {
            return has_number_ ? give(error) : refuse(row_fault("it has no `number`"), error);
        }
        return true;
    }

    bool on_array_begin(json::error_code& error) {
        ++depth_;
        return depth_ == 2 && list_ != List::none ? true : refuse(wrong(), error);
    }
    bool on_array_end(std::size_t, json::error_code&) {
        --depth_;
        return true;
    }

    bool on_key_part(json::string_view part, std::size_t, json::error_code& error) {
        return append(part, error);
    }
    bool on_key(json::string_view part, std::size_t, json::error_code& error) {
        return append(part, error) && take_key(std::exchange(text_, {}), error);
    }
    bool on_string_part(json::string_view part, std::size_t, json::error_code& error) {
        return append(part, error);
    }
    bool on_string(json::string_view part, std::size_t, json::error_code& error) {
        return append(part, error) && take_value(std::exchange(text_, {}), Kind::text, error);
    }
    bool on_number_part(json::string_view part, json::error_code& error) {
        return append(part, error);
    }
    bool on_int64(std::int64_t, json::string_view part, json::error_code& error) {
        return append(part, error) && take_value(std::exchange(text_, {}), Kind::number, error);
    }
    bool on_uint64(std::uint64_t, json::string_view part, json::error_code& error) {
        return append(part, error) && take_value(std::exchange(text_, {}), Kind::number, error);
    }
    bool on_double(double, json::string_view part, json::error_code& error) {
        return append(part, error) && take_value(std::exchange(text_, {}), Kind::number, error);
    }
    bool on_bool(bool value, json::error_code& error) {
        return take_value(value ? "true" : "false", Kind::other, error);
    }
    bool on_null(json::error_code& error) { return take_value("", Kind::other, error); }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }

    enum class List : std::uint8_t { none, numbers, recipients, tags };

    std::string country;
    bool takes_tags = false;
    const UploadReader::Sink* sink = nullptr;  // While the parser runs.
    std::optional<Error> fault;
    std::vector<std::string> columns;
    std::vector<std::string> tags;
    [[nodiscard]] bool has_list() const { return list_ != List::none; }

private:
    enum class Kind : std::uint8_t { text, number, other };

    bool refuse(Error why, json::error_code& error) {
        if (!fault) {
            fault = std::move(why);
        }
        error = json::error::syntax;
        return false;
    }
    bool refuse(std::unexpected<Error> why, json::error_code& error) {
        return refuse(std::move(why.error()), error);
    }

    [[nodiscard]] std::unexpected<Error> row_fault(std::string_view what) const {
        return fail(ErrorCode::invalid_argument, fmt::format("entry {}: {}", rows_ + 1, what));
    }

    [[nodiscard]] std::unexpected<Error> wrong() const {
        switch (list_) {
            case List::numbers:
                return row_fault("must be a phone number, as a text or a whole number");
            case List::recipients:
                return row_fault(
                    "must be an object with `number`, and perhaps `values`: an object of texts");
            case List::tags:
                return fail(
                    ErrorCode::invalid_argument,
                    fmt::format("`tags` must be a list of 1 to {} texts of at most {} bytes",
                                model::Contact::tags_max, model::Contact::tag_bytes_max));
            case List::none:
                break;
        }
        return not_an_upload();
    }

    bool append(json::string_view part, json::error_code& error) {
        if (text_.size() + part.size() > upload_cell_bytes_max) {
            return refuse(row_fault(fmt::format("a text has more than {} bytes: shorten it",
                                                upload_cell_bytes_max)),
                          error);
        }
        text_.append(part.data(), part.size());
        return true;
    }

    bool take_key(std::string name, json::error_code& error) {
        field_ = std::move(name);
        if (depth_ == 1) {
            const auto list = field_ == "numbers"              ? List::numbers
                              : field_ == "recipients"         ? List::recipients
                              : field_ == "tags" && takes_tags ? List::tags
                                                               : List::none;
            if (list == List::none || list_ != List::none) {
                return refuse(not_an_upload(), error);
            }
            list_ = list;
            return true;
        }
        if (depth_ == 3) {
            const bool is_known = (field_ == "number" && !has_number_) || field_ == "values";
            return is_known ? true : refuse(wrong(), error);
        }
        return true;
    }

    bool take_value(std::string text, Kind kind, json::error_code& error) {
        if (depth_ == 2 && list_ == List::numbers && kind != Kind::other) {
            row_ = {};
            take_number(text);
            return give(error);
        }
        if (depth_ == 2 && list_ == List::tags && kind == Kind::text) {
            const bool fits = !text.empty() && text.size() <= model::Contact::tag_bytes_max &&
                              tags.size() < model::Contact::tags_max;
            if (fits) {
                tags.push_back(std::move(text));
            }
            return fits ? true : refuse(wrong(), error);
        }
        if (depth_ == 3 && field_ == "number" && kind != Kind::other) {
            has_number_ = true;
            take_number(text);
            return true;
        }
        return depth_ == 4 ? take_field(std::move(text), error) : refuse(wrong(), error);
    }

    void take_number(std::string_view text) {
        text = without_blanks(text);
        const auto read = read_number(text, country);
        row_.number = read.number;
        row_.is_rounded = read.is_rounded;
        row_.original = utf8_prefix(text, original_bytes_max);
    }

    bool take_field(std::string text, json::error_code& error) {
        const auto name = column_name(field_);
        row_bytes_ += name.size() + text.size();
        if (name.empty() || row_bytes_ > upload_row_bytes_max) {
            return refuse(
                row_fault(name.empty()
                              ? std::string{"a value has no name"}
                              : fmt::format("the values have more than {} bytes: remove those that "
                                            "no message needs",
                                            upload_row_bytes_max)),
                error);
        }
        auto place = find_column(columns, name);
        if (!place) {
            if (columns.size() == upload_columns_max) {
                return refuse(row_fault(fmt::format("the upload has more than {} columns: remove "
                                                    "those that no message needs",
                                                    upload_columns_max)),
                              error);
            }
            place = columns.size();
            columns.push_back(name);
        }
        if (row_.values.size() <= *place) {
            row_.values.resize(*place + 1);
        }
        row_.values[*place] = value_text(std::string{without_blanks(text)});
        return true;
    }

    bool give(json::error_code& error) {
        row_.values.resize(columns.size());
        auto given = (*sink)(std::exchange(row_, {}));
        if (!given) {
            return refuse(std::move(given.error()), error);
        }
        ++rows_;
        return true;
    }

    List list_ = List::none;
    std::size_t depth_ = 0;
    std::string text_;   // So far.
    std::string field_;  // The last name.
    UploadRow row_;
    bool has_number_ = false;
    std::size_t row_bytes_ = 0;
    std::uint64_t rows_ = 0;
};

class JsonUpload::Parser {
public:
    Parser(UploadOptions options, bool takes_tags) : parser_(parse_options()) {
        handler().country = std::move(options.country);
        handler().takes_tags = takes_tags;
    }

    [[nodiscard]] JsonUploadHandler& handler() { return parser_.handler(); }
    [[nodiscard]] const JsonUploadHandler& handler() const { return parser_.handler(); }

    Result<void> write(bool more, std::string_view text, const Sink& sink) {
        json::error_code error;
        handler().sink = &sink;
        if (!parser_.done()) {
            const auto used = parser_.write_some(more, text.data(), text.size(), error);
            text.remove_prefix(std::min(used, text.size()));
        }
        handler().sink = nullptr;
        if (handler().fault) {
            return std::unexpected(*handler().fault);
        }
        if (error) {
            return fail(ErrorCode::invalid_argument,
                        fmt::format("this is not JSON: {}", error.message()));
        }
        return text.find_first_not_of(" \t\r\n") == std::string_view::npos
                   ? Result<void>{}
                   : Result<void>{not_an_upload()};
    }

private:
    static json::parse_options parse_options() {
        json::parse_options options;
        options.max_depth = depth_max;
        return options;
    }

    json::basic_parser<JsonUploadHandler> parser_;
};

JsonUpload::JsonUpload(UploadOptions options, bool takes_tags)
    : parser_(std::make_unique<Parser>(std::move(options), takes_tags)) {}

JsonUpload::~JsonUpload() = default;

Result<void> JsonUpload::take(std::string_view piece, const Sink& sink) {
    bytes_ += piece.size();
    if (bytes_ > upload_json_bytes_max) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the JSON has more than {} bytes: upload the list as CSV",
                                upload_json_bytes_max));
    }
    return parser_->write(true, piece, sink);
}

Result<void> JsonUpload::finish(const Sink& sink) {
    if (auto written = parser_->write(false, "", sink); !written) {
        return written;
    }
    const auto& handler = parser_->handler();
    if (!handler.has_list()) {
        return not_an_upload();
    }
    return {};
}

const std::vector<std::string>& JsonUpload::columns() const noexcept {
    return parser_->handler().columns;
}

const std::vector<std::string>& JsonUpload::tags() const noexcept {
    return parser_->handler().tags;
}

}  // namespace merpati::campaign
