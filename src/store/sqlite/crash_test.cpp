// A process that is killed under load loses nothing that it reported.
#include <csignal>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "store/conformance/store_fixture.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store {
namespace {

constexpr int rounds = 5;
constexpr std::size_t batch_size = 16;
constexpr std::int64_t first_credit = 1'000'000;

/// The child's report of one message, after the commit.
struct Report {
    std::int64_t sequence;
    std::uint64_t tail;
    bool finished;
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
            for (auto& message : waiting_) {
                batch.finishes.push_back(finish_of(std::move(message)));
            }
            for (std::size_t count = 0; count < batch_size; ++count) {
                batch.accepts.push_back({.message = message()});
            }
            if (!store_->write(batch)) {
                _exit(4);
            }
            waiting_.clear();
            for (const auto& finish : batch.finishes) {
                report(finish.message->id, finish.finished);
            }
            for (auto& accept : batch.accepts) {
                report(accept.message->id, false);
                waiting_.push_back(std::move(accept.message));
            }
        }
    }

private:
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

    void report(const Uuid& id, bool finished) {
        const Report report{.sequence = id.sequence(), .tail = id.tail(), .finished = finished};
        if (::write(pipe_, &report, sizeof report) != sizeof report) {
            _exit(5);
        }
    }

    int pipe_;
    SystemClock clock_;
    testing::FixedRandom random_;
    std::optional<UuidSource> ids_;
    std::unique_ptr<Store> store_;
    std::vector<std::unique_ptr<model::Message>> waiting_;
};

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
        std::size_t lost = 0;
        std::size_t unfinished = 0;
        for (const auto& report : reports) {
            const auto record = take(reader->message(Uuid{report.sequence, report.tail}));
            lost += record ? 0 : 1;
            unfinished += report.finished && record && !record->completion ? 1 : 0;
        }
        EXPECT_GE(reports.size(), 200);
        EXPECT_EQ(lost, 0);
        EXPECT_EQ(unfinished, 0);
        const auto checked =
            take(check_integrity(options.url, Depth::quick, clock, std::chrono::hours{1}));
        EXPECT_TRUE(checked.complete && checked.ledger_faults.empty());
    }
    sqlite::Connection connection{file.string(), sqlite::Access::read_only};
    EXPECT_EQ(connection.query_text("PRAGMA integrity_check"), "ok");
    // Each batch is complete or absent: every message was charged, every end has its callback.
    EXPECT_EQ(connection.query_text("SELECT count(*) + (SELECT credit FROM account) FROM message"),
              std::to_string(first_credit));
    EXPECT_EQ(connection.query_text("SELECT count(*) FROM message"),
              connection.query_text("SELECT (SELECT count(*) FROM queue) + "
                                    "(SELECT count(*) FROM completion)"));
    EXPECT_EQ(connection.query_text("SELECT count(*) FROM completion"),
              connection.query_text("SELECT count(*) FROM callback"));
}

}  // namespace
}  // namespace merpati::store
