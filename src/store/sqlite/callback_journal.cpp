#include "store/sqlite/callback_journal.hpp"

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/encoding.hpp"
#include "base/utf8.hpp"
#include "store/sqlite/rows.hpp"

namespace merpati::store::sqlite {
namespace {

void append(std::string& row, std::string_view text) {
    const auto size = static_cast<std::int64_t>(text.size());
    row.append(reinterpret_cast<const char*>(&size), sizeof size);
    row.append(text);
}

void append(std::string& row, const model::Callback& callback) {
    const auto message = callback.message.value_or(Uuid{});
    const std::array numbers{callback.id.sequence(),
                             tail_of(callback.id),
                             callback.account.value,
                             static_cast<std::int64_t>(callback.kind),
                             std::int64_t{callback.message.has_value()},
                             message.sequence(),
                             tail_of(message),
                             callback.origin_key,
                             to_unix_millis(callback.created_at)};
    row.append(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
    append(row, callback.url);
    append(row, callback.body);
}

/// Reads a journal row. What no version writes is damage.
class RowReader {
public:
    explicit RowReader(std::span<const std::byte> row) : rest_(row) {}

    [[nodiscard]] bool at_end() const { return rest_.empty(); }

    [[nodiscard]] model::Callback callback() {
        model::Callback read;
        read.id = id();
        read.account = {integer()};
        read.kind = static_cast<model::CallbackKind>(
            between(0, static_cast<std::int64_t>(model::CallbackKind::device_event)));
        const bool has_message = between(0, 1) == 1;
        const auto message = id();
        if (has_message) {
            read.message = message;
        }
        read.origin_key = integer();
        read.created_at = from_unix_millis(between(-62'135'596'800'000, 253'402'300'799'999));
        read.url = text();
        read.body = text();
        return read;
    }

private:
    [[noreturn]] static void throw_damaged() {
        throw Failure{SQLITE_CORRUPT, false, "a row of callback_journal holds what nothing writes"};
    }

    std::span<const std::byte> next(std::size_t size) {
        if (size > rest_.size()) {
            throw_damaged();
        }
        const auto taken = rest_.first(size);
        rest_ = rest_.subspan(size);
        return taken;
    }
    std::int64_t integer() {
        std::int64_t number = 0;
        std::memcpy(&number, next(sizeof number).data(), sizeof number);
        return number;
    }
    std::int64_t between(std::int64_t lowest, std::int64_t highest) {
        const auto number = integer();
        if (number < lowest || number > highest) {
            throw_damaged();
        }
        return number;
    }
    Uuid id() {
        const auto sequence = integer();
        return uuid_of(sequence, integer());
    }
    std::string text() {
        const auto size = between(0, static_cast<std::int64_t>(rest_.size()));
        const auto bytes = next(static_cast<std::size_t>(size));
        std::string read{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
        if (!is_utf8(read)) {
            throw_damaged();
        }
        return read;
    }

    std::span<const std::byte> rest_;
};

std::vector<model::Callback> callbacks_of(std::span<const std::byte> row) {
    std::vector<model::Callback> all;
    RowReader reader{row};
    while (!reader.at_end()) {
        all.push_back(reader.callback());
    }
    return all;
}

}  // namespace

CallbackJournal::CallbackJournal(Connection& connection)
    : connection_(connection),
      insert_(connection, "INSERT INTO callback_journal VALUES(?,?)"),
      remove_(connection, "DELETE FROM callback_journal WHERE number = ?") {}

void CallbackJournal::load(Condition& condition) {
    Statement rows{connection_, "SELECT number, callbacks FROM callback_journal ORDER BY number"};
    Statement find{connection_, "SELECT 1 FROM callback WHERE id = ?"};
    auto row = rows.query();
    const auto guard = [&](auto body) {
        try {
            return body();
        } catch (const Failure& failure) {
            if (!failure.is_damage()) {
                throw;
            }
            condition.note_damage("callbacks whose first attempt was under way");
            return false;
        }
    };
    while (guard([&] { return row.next(); })) {
        guard([&] {
            auto all = callbacks_of(row.blob(1));
            commits_[commit_].row = row.integer(0);
            for (auto& callback : all) {
                if (!find.query(callback.id.sequence()).next()) {
                    put(std::move(callback));
                }
            }
            if (commits_[commit_].left == 0) {
                emptied_.push_back(commit_);
            }
            ++commit_;
            return true;
        });
    }
}

void CallbackJournal::put(model::Callback callback) {
    const auto event = callback.id.sequence();
    auto& commit = commits_[commit_];
    ++commit.left;
    commit.events.push_back(event);
    callbacks_.emplace(event, Entry{.callback = std::move(callback), .commit = commit_});
}

void CallbackJournal::add(const model::Callback& callback) {
    put(callback);
    added_.push_back(callback.id.sequence());
}

const model::Callback* CallbackJournal::take(const model::EventId& event) {
    const auto found = callbacks_.find(event.sequence());
    return found != callbacks_.end() && found->second.callback.id == event ? take(event.sequence())
                                                                           : nullptr;
}

const model::Callback* CallbackJournal::take(std::int64_t event) {
    const auto found = callbacks_.find(event);
    if (found == callbacks_.end() || found->second.taken) {
        return nullptr;
    }
    auto& entry = found->second;
    entry.taken = true;
    taken_.push_back(event);
    if (--commits_[entry.commit].left == 0) {
        emptied_.push_back(entry.commit);
    }
    return &entry.callback;
}

std::vector<const model::Callback*> CallbackJournal::take_late(bool all) {
    std::vector<const model::Callback*> late;
    if (keeps_late_) {
        return late;
    }
    for (const auto& [number, commit] : commits_) {
        const bool too_many = callbacks_.size() - taken_.size() > callbacks_max;
        if (!all && !too_many && commit_ - number < commits_max) {
            break;
        }
        for (const auto event : commit.events) {
            if (const auto* callback = take(event)) {
                late.push_back(callback);
            }
        }
    }
    return late;
}

void CallbackJournal::flush() {
    row_.clear();
    for (const auto event : added_) {
        if (const auto& entry = callbacks_.at(event); !entry.taken) {
            append(row_, entry.callback);
        }
    }
    if (!row_.empty()) {
        auto& commit = commits_[commit_];
        commit.row = commit.events.front();
        insert_.run(commit.row, as_bytes(row_));
    }
    for (const auto number : emptied_) {
        remove_.run(commits_[number].row);
    }
}

void CallbackJournal::committed() {
    for (const auto event : taken_) {
        callbacks_.erase(event);
    }
    for (const auto number : emptied_) {
        commits_.erase(number);
    }
    added_.clear();
    taken_.clear();
    emptied_.clear();
    ++commit_;
}

void CallbackJournal::forget() {
    for (const auto event : taken_) {
        auto& entry = callbacks_.at(event);
        entry.taken = false;
        ++commits_[entry.commit].left;
    }
    for (const auto event : added_) {
        callbacks_.erase(event);
    }
    commits_.erase(commit_);
    added_.clear();
    taken_.clear();
    std::erase_if(emptied_, [this](std::int64_t number) {
        const auto found = commits_.find(number);
        return found == commits_.end() || found->second.left > 0;  // Others were empty when loaded.
    });
}

}  // namespace merpati::store::sqlite
