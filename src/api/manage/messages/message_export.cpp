// The export of messages.
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/record_lines.hpp"
#include "api/manage/engine/views.hpp"
#include "api/manage/messages/message_filters.hpp"

namespace merpati::api::manage::messages {
namespace {

/// The fields of a message's view that a CSV export shows.
constexpr std::array<std::string_view, 17> csv_columns{
    "id",          "account",     "from",     "to",          "state",   "type",
    "code",        "details",     "attempts", "accepted_at", "due_at",  "next_attempt_at",
    "finished_at", "platform_id", "media",    "campaign",    "charged",
};

/// Newest message first.
class AllMessages final : public RecordLines<store::MessagePage> {
public:
    AllMessages(const Context& context, ExportFormat format, store::MessageFilter filter,
                admission::Principal viewer)
        : RecordLines{context, format}, filter_(std::move(filter)), viewer_(std::move(viewer)) {}

private:
    Result<store::MessagePage> read(store::Reader& reader, const Position& after,
                                    std::size_t limit) const override {
        auto filter = filter_;
        filter.before = after;
        filter.limit = limit;
        return reader.messages(filter);
    }
    Position position_of(const Record& record) const override { return record.message.id; }
    boost::json::object line_of(const Record& record) const override {
        return view(record, viewer_);
    }
    void add_header(std::string& csv) const override { add_cells(csv, csv_columns); }
    void add_row(std::string& csv, const Record& record) const override {
        add_fields(csv, view(record, viewer_), csv_columns);
    }

    const store::MessageFilter filter_;
    const admission::Principal viewer_;
};

}  // namespace

/// All messages that `list` would answer in pages.
Result<std::unique_ptr<Lines>> export_all(const Context& context, Call& call) {
    const MessageFilters filters{call.fields};
    const auto format = take_export_format(call.fields, ExportFormat::ndjson);
    auto filter = filters.of(context, call);
    if (!filter) {
        return pass(filter);
    }
    return std::make_unique<AllMessages>(context, format, *std::move(filter), call.principal);
}

}  // namespace merpati::api::manage::messages
