// A process that is killed under load loses nothing that it reported.
#include <array>
#include <csignal>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "store/conformance/store_fixture.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store {
namespace {

constexpr int rounds = 5;
constexpr std::size_t batch_size = 16;
constexpr std::int64_t first_credit = 1'000'000;

/// What was committed for a message, or for the callback of a finished one.
enum class Done : std::uint8_t {
    accepted,
    finished,
    rescheduled,
    handed_over,
    intended,
    noted,      // By a change.
    returned,   // Handed over and put back by a change.
    delivered,  // A callback.
};
constexpr auto done_last = static_cast<int>(Done::delivered);

/// The child's report, after the commit.
struct Report {
    std::int64_t sequence;
    std::uint64_t tail;
    Done done;
};

/// The process that is killed: writes batch after batch, and reports each once it is durable.
class Child {
public:
    Child(const StoreOptions& options, int pipe) : pipe_(pipe) {
        auto opened = open_store(options);
        if (!opened) {
            _exit(3);
        }
        store_ = std::move(*opened);
        const auto reader = take(store_->open_reader());
        ids_.emplace(clock_, random_, take(reader->last_sequence()));
    }

    [[noreturn]] void run() {
        for (;;) {
            WriteBatch batch;
            std::vector<Report> reports;
            for (std::size_t place = 0; place < waiting_.size(); ++place) {
                treat(batch, reports, std::move(waiting_[place]), place);
            }
            for (const auto& event : callbacks_) {
                batch.callback_updates.push_back(
                    {.event = event, .progress = {.state = model::CallbackState::delivered}});
                reports.push_back({event.sequence(), event.tail(), Done::delivered});
            }
            for (std::size_t count = 0; count < batch_size; ++count) {
                batch.accepts.push_back({.message = message()});
                auto& accept = batch.accepts.back();
                accept.idempotency = IdempotencyRecord{
                    .account = {1}, .key = accept.message->id.text(), .created_at = clock_.now()};
            }
            batch.changes.push_back({.run = [this](Tables& tables) -> Result<void> {
                const auto pruned = tables.prune({.idempotency_before = clock_.now()});
                return pruned ? Result<void>{} : pass(pruned);
            }});
            if (!store_->write(batch)) {
                _exit(4);
            }
            waiting_.clear();
            callbacks_.clear();
            for (auto& accept : batch.accepts) {
                const auto& id = accept.message->id;
                reports.push_back({id.sequence(), id.tail(), Done::accepted});
                waiting_.push_back(std::move(accept.message));
            }
            for (const auto& finish : batch.finishes) {
                callbacks_.push_back(finish.callback->id);
            }
            report(reports);
        }
    }

    /// How much later a rescheduled message is due.
    static constexpr std::chrono::hours later{1};

private:
    /// Messages of one batch are treated in six ways, in turn.
    void treat(WriteBatch& batch, std::vector<Report>& reports,
               std::unique_ptr<model::Message> message, std::size_t place) {
        const auto id = message->id;
        const auto device = message->device;
        const auto due = message->due_at;
        constexpr std::array ways{Done::finished, Done::rescheduled, Done::handed_over,
                                  Done::intended, Done::noted,       Done::returned};
        const auto way = ways.at(place % ways.size());
        reports.push_back({id.sequence(), id.tail(), way});
        if (way == Done::finished) {
            batch.finishes.push_back(finish_of(std::move(message)));
        } else if (way == Done::rescheduled) {
            batch.reschedules.push_back(
                {.message = id, .device = device, .queued_at = due, .queue_at = due + later});
        } else if (way == Done::handed_over || way == Done::returned) {
            batch.hand_overs.push_back({.message = id,
                                        .device = device,
                                        .queued_at = due,
                                        .platform_id = id.text(),
                                        .decide_by = due + later});
        } else if (way == Done::intended) {
            batch.intents.push_back({.message = id, .device = device, .queued_at = due});
        } else if (way == Done::noted) {
            batch.changes.push_back({.run = [this, id](Tables& tables) {
                return tables.note_event(
                    id, {.step = model::MessageStep::hastened, .at = clock_.now()});
            }});
        }
        if (way == Done::returned) {
            batch.changes.push_back({.run = [id, device, due](Tables& tables) -> Result<void> {
                const auto done = tables.return_to_lane({.message = id,
                                                         .device = device,
                                                         .queue_at = due + later,
                                                         .attempts = 7,
                                                         .as_template = true});
                return done && *done ? Result<void>{} : fail(ErrorCode::conflict, "it is not");
            }});
        }
    }

    std::unique_ptr<model::Message> message() {
        auto made = std::make_unique<model::Message>();
        made->id = ids_->next();
        made->account = {1};
        made->device = model::PhoneNumber::from_stored(6281100000001);
        made->recipient = "6281234567890";
        made->body = std::string(200, 'm');
        made->due_at = made->accepted_at = clock_.now();
        return made;
    }

    Finish finish_of(std::unique_ptr<model::Message> message) {
        const auto now = clock_.now();
        model::Callback callback{
            .id = ids_->next(), .account = {1}, .message = message->id, .created_at = now};
        const auto queued_at = message->due_at;
        return {.message = std::move(message),
                .queued_at = queued_at,
                .completion = {.state = model::MessageState::sent, .finished_at = now},
                .callback = std::move(callback)};
    }

    void report(const std::vector<Report>& reports) {
        for (const auto& one : reports) {
            if (::write(pipe_, &one, sizeof one) != sizeof one) {
                _exit(5);
            }
        }
    }

    int pipe_;
    SystemClock clock_;
    testing::FixedRandom random_;
    std::optional<UuidSource> ids_;
    std::unique_ptr<Store> store_;
    std::vector<std::unique_ptr<model::Message>> waiting_;
    std::vector<model::EventId> callbacks_;  // Of the last batch.
};

/// Whether the store has what was reported. A later batch may have been committed too.
bool is_stored(Reader& reader, const Report& report) {
    const Uuid id{report.sequence, report.tail};
    if (report.done == Done::delivered) {
        const auto callback = take(reader.callback(id));
        return callback && callback->progress.state == model::CallbackState::delivered;
    }
    const auto record = take(reader.message(id));
    if (!record) {
        return false;
    }
    switch (report.done) {
        case Done::accepted:
        case Done::delivered:
            return true;
        case Done::finished:
            return record->completion.has_value();
        case Done::rescheduled:
            return record->queued_at == record->message.due_at + Child::later;
        case Done::handed_over:
            return record->state == model::MessageState::handed_over;
        case Done::intended:
            return record->state == model::MessageState::sending;
        case Done::returned:
            return record->state == model::MessageState::pending && record->attempts == 7 &&
                   record->queued_at == record->message.due_at + Child::later;
        case Done::noted:
            return take(reader.trail(id)).events.size() == 1;
    }
    return false;
}

struct CrashTest : ::testing::Test {
    TemporaryDirectory directory;
    std::filesystem::path file = directory.path() / "merpati.db";
    StoreOptions options{.url = "sqlite:" + file.string()};
    testing::FixedRandom random;
    testing::ManualClock clock;

    void make_account() {
        auto store = take(open_store(options));
        WriteBatch batch;
        batch.changes.push_back({.run = [](Tables& tables) -> Result<void> {
            const auto id = take(tables.create_account({.credit = first_credit}));
            EXPECT_EQ(id.value, 1);
            take(tables.add_device(
                {.number = model::PhoneNumber::from_stored(6281100000001), .account = id}, true));
            return {};
        }});
        ASSERT_TRUE(store->write(batch));
    }

    /// Kills a child once it has reported `kill_after` messages. Returns all its reports.
    std::vector<Report> run_and_kill(std::size_t kill_after) {
        int ends[2];
        EXPECT_EQ(::pipe(ends), 0);
        const auto child = ::fork();
        if (child == 0) {
            ::close(ends[0]);
            Child{options, ends[1]}.run();
        }
        ::close(ends[1]);
        std::vector<Report> reports;
        Report report{};
        while (::read(ends[0], &report, sizeof report) == sizeof report) {
            reports.push_back(report);
            if (reports.size() == kill_after) {
                ::kill(child, SIGKILL);
            }
        }
        ::close(ends[0]);
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << status;
        return reports;
    }
};

TEST_F(CrashTest, NothingThatWasReportedIsLost) {
    make_account();
    for (int round = 0; round < rounds; ++round) {
        const auto reports = run_and_kill(random.between(200, 3'200));
        auto store = take(open_store(options));
        const auto reader = take(store->open_reader());
        std::array<std::size_t, done_last + 1> seen{};
        std::array<std::size_t, done_last + 1> lost{};
        for (const auto& report : reports) {
            const auto kind = static_cast<std::size_t>(report.done);
            ++seen.at(kind);
            lost.at(kind) += is_stored(*reader, report) ? 0 : 1;
        }
        EXPECT_THAT(seen, ::testing::Each(::testing::Gt(0U)));
        EXPECT_THAT(lost, ::testing::Each(0U));
        const auto checked =
            take(check_integrity(options.url, Depth::quick, clock, std::chrono::hours{1}));
        EXPECT_TRUE(checked.complete && checked.ledger_faults.empty());
    }
    sqlite::Connection connection{file.string(), sqlite::Access::read_only};
    EXPECT_EQ(connection.query_text("PRAGMA integrity_check"), "ok");
    // Each batch is complete or absent: every message was charged, every end has its callback.
    EXPECT_EQ(connection.query_text("SELECT count(*) + (SELECT credit FROM account) FROM message;"),
              std::to_string(first_credit));
    EXPECT_EQ(connection.query_text("SELECT count(*) FROM message;"),
              connection.query_text("SELECT (SELECT count(*) FROM queue) + "
                                    "(SELECT count(*) FROM completion) + "
                                    "(SELECT count(*) FROM handed_over);"));
    EXPECT_EQ(connection.query_text("SELECT count(*) FROM completion;"),
              connection.query_text("SELECT count(*) FROM callback;"));
}

}  // namespace
}  // namespace merpati::store
