// Two processes that write one database at once.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "store/postgres/connection.hpp"
#include "store/postgres/postgres_engine_fixture.hpp"

namespace merpati::store {

/// `other` is a second process on the database of `store`. Changes run once.
struct SeveralWritersTest : StoreTest {
    using RunChange = std::move_only_function<Result<void>(Tables&)>;

    SeveralWritersTest() { is_repeated = false; }

    static Result<void> change_in(Store& process, RunChange run) {
        WriteBatch batch;
        batch.changes.push_back({.run = std::move(run)});
        take(process.write(batch));
        return std::move(batch.changes.front().result);
    }
    /// Runs a change until it waits for a lock of the caller, or to its end if it does not.
    std::future<Result<void>> begin_in_other(RunChange run) {
        auto begun = std::async(std::launch::async, [this, run = std::move(run)]() mutable {
            return change_in(*other, std::move(run));
        });
        while (begun.wait_for(std::chrono::seconds{0}) != std::future_status::ready &&
               shell.query_text("SELECT count(*) FROM pg_stat_activity WHERE datname = "
                                "current_database() AND wait_event_type = 'Lock'") == "0") {
            std::this_thread::yield();
        }
        return begun;
    }
    Result<void> add_credit(Store& process, std::int64_t amount) {
        return change_in(process, [&](Tables& tables) -> Result<void> {
            const auto added = tables.add_credit(account, amount, {.at = clock.now()});
            return added ? Result<void>{} : pass(added);
        });
    }
    Accept::Result accept_in(Store& process, model::Message message) {
        WriteBatch batch;
        batch.accepts.push_back({.message = std::make_unique<model::Message>(std::move(message))});
        take(process.write(batch));
        return batch.accepts.front().result;
    }
    std::vector<std::string> ledger_faults() {
        std::vector<std::string> found;
        for (const auto& fault :
             take(check_integrity(options.url, Depth::quick, clock, std::chrono::hours{1}))
                 .ledger_faults) {
            found.push_back(fault.what);
        }
        return found;
    }

    std::unique_ptr<Store> other = take(open_store(options));
    postgres::Connection shell{take(postgres::ConnectionSettings::parse(options.url))};
};

}  // namespace merpati::store
