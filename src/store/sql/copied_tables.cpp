#include "store/sql/copied_tables.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/assert.hpp"

namespace merpati::store::sql {
namespace {

/// Each column as "NAME:KIND", where KIND is `int`, `text` or `bytes`.
struct TableText {
    std::string_view name;
    std::size_t key_columns;
    Ids ids;
    std::string_view columns;
};

/// As the schemas have them (sqlite/schema.cpp, postgres/…_schema.hpp).
constexpr std::array table_texts{
    TableText{"meta", 1, Ids::given, "name:text value:bytes"},
    TableText{"account", 1, Ids::never_reused,
              "id:int name:text plan:text credit:int expires_at:int rate:text callback_url:text "
              "delivery:text devices_max:int webhook_secret:bytes webhook_secret_previous:bytes "
              "previous_secret_until:int created_at:int country:text callback_batch:text"},
    TableText{"api_key", 1, Ids::never_reused,
              "id:int account:int name:text hint:text digest:bytes revision:text created_at:int "
              "expires_at:int revoked_at:int scopes:text"},
    TableText{"device", 1, Ids::given,
              "number:int account:int connector:text state:text webhook_url:text gap_min:int "
              "jitter_max:int per_day_max:int created_at:int state_since:int warm_up_days:int "
              "state_reason:text paused_since:int pause_reason:text resumed_at:int "
              "after_pairing:text notified:text exported_at:int restricted_until:int "
              "phone_number_id:text waba_id:text fallback_template:text"},
    TableText{"device_secret", 2, Ids::given, "device:int name:text value:bytes"},
    TableText{"lane", 1, Ids::given,
              "device:int down_since:int sent_at:int jitter:int day_ends_at:int sent_of_day:int"},
    TableText{"ledger", 2, Ids::given,
              "account:int number:int kind:int begun_at:int ended_at:int charged:int refunded:int "
              "amount:int balance:int reason:text"},
    TableText{"ledger_pruned", 1, Ids::given, "account:int charged:int reserved:int"},
    TableText{"usage", 1, Ids::assigned,
              "number:int account:int hour:int device:int source:int state:int code:int "
              "messages:int"},
    TableText{"person", 1, Ids::never_reused,
              "id:int email:text admin:int password_hash:text created_at:int totp_secret:bytes "
              "totp_confirmed:int totp_step:int"},
    TableText{"membership", 2, Ids::given, "person:int account:int role:text since:int"},
    TableText{"invitation", 1, Ids::never_reused,
              "id:int account:int email:text role:text digest:bytes inviter:text "
              "inviter_name:text created_at:int expires_at:int"},
    TableText{"session", 1, Ids::never_reused,
              "id:int person:int digest:bytes sign_in:int address:text agent:text created_at:int "
              "seen_at:int"},
    TableText{"sign_in_link", 1, Ids::given, "digest:bytes person:int expires_at:int"},
    TableText{"recovery_code", 2, Ids::given, "person:int digest:bytes"},
    TableText{"audit", 1, Ids::never_reused,
              "id:int at:int door:text actor:text actor_name:text account:int operation:text "
              "object:text before:text after:text request_id:text outcome:text"},
    TableText{"message", 1, Ids::given,
              "id:int tail:int account:int device:int recipient:text body:text media_url:text "
              "callback_url:text flags:int accepted_at:int due_at:int campaign:int "
              "campaign_row:int template:text"},
    TableText{"queue", 4, Ids::given,
              "device:int source:int bucket:int id:int tail:int due_at:int attempts:int intent:int "
              "last_details:text failing_since:int crashes:int perhaps_sent:int as_template:int"},
    TableText{"completion", 1, Ids::given,
              "id:int state:int code:int details:text platform_id:text finished_at:int "
              "attempts:int event:int took:int as_template:int"},
    TableText{"message_event", 2, Ids::given,
              "message:int number:int step:int at:int until:int code:int details:text"},
    TableText{"message_block", 1, Ids::given,
              "first:int last:int unfinished:int open:bytes facts:bytes ends:bytes "
              "recipients:bytes recipients_of_accounts:bytes"},
    TableText{"activity", 2, Ids::given, "account:int span:int"},
    TableText{"idempotency", 2, Ids::given,
              "account:int key:text fingerprint:bytes message:int message_tail:int status:int "
              "answer:text created_at:int"},
    TableText{"handed_over", 1, Ids::given,
              "id:int device:int platform_id:text attempts:int decide_by:int at:int "
              "perhaps_sent:int without_status:int failing_since:int crashes:int as_template:int "
              "sent_as:text"},
    TableText{"platform_event", 3, Ids::given,
              "device:int about:int platform_id:text progress:int code:int details:text at:int "
              "noted_at:int passing:int passing_until:int message:int"},
    TableText{"received_media", 1, Ids::given,
              "id:int tail:int device:int platform_id:text mime:text bytes:int name:text "
              "reference:bytes"},
    TableText{"callback", 1, Ids::given,
              "id:int tail:int account:int kind:int message:int message_tail:int url:text "
              "origin_key:int body:text created_at:int state:int attempts:int due_at:int "
              "last_status:int last_error:text updated_at:int attempts_before:int last_took:int "
              "last_answer:text batch:int batch_tail:int batch_events:int"},
    TableText{"callback_attempt", 2, Ids::given,
              "event:int number:int at:int took:int status:int error:text answer:text "
              "retry_at:int batch:int batch_tail:int batch_events:int"},
    TableText{"campaign", 1, Ids::never_reused,
              "id:int account:int state:text reason:text until:int created_at:int started_at:int "
              "finished_at:int notified_state:text notified_reason:text staged:int removed:int "
              "is_open:int unnotified:int pruned:int pending:int queued:int sent:int failed:int "
              "skipped:int uncertain:int cancelled:int delivered:int read:int "
              "failures_in_row:int unregistered_low:int unregistered_high:int recent:int "
              "sent_since:int opt_outs_since:int reserved:int next_due_at:int"},
    TableText{"campaign_plan", 1, Ids::given, "campaign:int plan:text columns:text"},
    TableText{"campaign_device", 2, Ids::given, "device:int campaign:int"},
    TableText{"campaign_recipient", 1, Ids::given,
              "id:int account:int number:int repeats:int state:int reason:int code:int variant:int "
              "device:int message:int message_tail:int progress:int at:int original:text "
              "cells:text"},
    TableText{"campaign_outcome", 3, Ids::given,
              "campaign:int state:int detail:int recipients:int"},
    TableText{"contact", 2, Ids::given,
              "account:int number:int name:text tags:text consent_source:text consent_at:int "
              "consent_text:text created_at:int updated_at:int fields:text"},
    TableText{"contact_count", 1, Ids::given, "account:int contacts:int"},
    TableText{"contact_tag", 3, Ids::given, "account:int tag:text number:int"},
    TableText{"suppression", 2, Ids::given,
              "account:int number:int reason:text at:int campaign:int"},
    TableText{"erasure", 2, Ids::given, "account:int number:int at:int rows_left:int next_at:int"}};

ValueKind kind_named(std::string_view word) {
    if (word == "int") {
        return ValueKind::integer;
    }
    invariant(word == "text" || word == "bytes", "a column has a kind");
    return word == "text" ? ValueKind::text : ValueKind::bytes;
}

CopiedTable read_table(const TableText& text) {
    CopiedTable table{.name = text.name,
                      .key_columns = text.key_columns,
                      .ids = text.ids,
                      .rows = text.name == "meta" ? copied_rows_of_meta : "TRUE",
                      .columns = {}};
    for (auto rest = text.columns; !rest.empty();) {
        const auto one = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
        const auto colon = one.find(':');
        table.columns.push_back(
            {.name = one.substr(0, colon), .kind = kind_named(one.substr(colon + 1))});
    }
    return table;
}

std::string list_of_names(std::span<const CopiedColumn> columns) {
    std::string list;
    for (const auto& column : columns) {
        list.append(list.empty() ? "" : ",").append(column.name);
    }
    return list;
}

}  // namespace

std::string CopiedTable::column_list() const {
    return list_of_names(columns);
}

std::string CopiedTable::reading(bool is_behind) const {
    const auto keys = list_of_names(key());
    std::string marks{"?"};
    for (std::size_t count = 1; count < key_columns; ++count) {
        marks += ",?";
    }
    const auto behind = is_behind ? fmt::format(" AND ({}) > ({})", keys, marks) : std::string{};
    return fmt::format("SELECT {} FROM {} WHERE {}{} ORDER BY {}", column_list(), name, rows,
                       behind, keys);
}

std::string CopiedTable::counting() const {
    return fmt::format("SELECT count(*) FROM {} WHERE {}", name, rows);
}

std::string CopiedTable::looking() const {
    return fmt::format("SELECT 1 FROM {} WHERE {} LIMIT 1", name, rows);
}

const std::vector<CopiedTable>& copied_tables() {
    static const auto tables = [] {
        std::vector<CopiedTable> read;
        for (const auto& text : table_texts) {
            read.push_back(read_table(text));
        }
        return read;
    }();
    return tables;
}

}  // namespace merpati::store::sql
