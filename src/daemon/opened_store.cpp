#include "daemon/opened_store.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/uuid.hpp"
#include "daemon/gateway.hpp"
#include "daemon/options.hpp"
#include "model/store_url.hpp"

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto free_within = 5s;
constexpr auto retry_every = 100ms;

/// The most exact of some comparisons. If the database does not answer now, the start ends with its
/// next question.
Millis database_ahead(store::Nodes& nodes, const Clock& machine) {
    constexpr int comparisons = 3;
    store::ClockDifference best{.within = Millis::max()};
    for (int count = 0; count < comparisons; ++count) {
        const auto found = store::compare_clocks(nodes, machine);
        if (found && found->within < best.within) {
            best = *found;
        }
    }
    return best.database_ahead;
}

}  // namespace

Result<OpenedStore> open_store(const config::Settings& settings,
                               const store::StoreOptions& options) {
    auto allowed = allowed_ranges(settings);
    if (!allowed) {
        return pass(allowed);
    }
    auto store = store::open_store(options);
    if (!store) {
        return pass(store);
    }
    OpenedStore opened{.store = std::move(*store), .allowed = std::move(*allowed)};
    opened.nodes = opened.store->nodes();
    if (auto read = opened.read_clock(); !read) {
        return pass(read);
    }
    return opened;
}

Result<void> OpenedStore::read_clock() {
    const auto reader = store->open_reader();
    if (!reader) {
        return pass(reader);
    }
    const auto last = (*reader)->last_sequence();
    if (!last) {
        return pass(last);
    }
    const auto offset = (*reader)->clock_offset();
    if (!offset) {
        return pass(offset);
    }
    last_sequence = *last;
    clock_offset = *offset;
    return {};
}

Result<OpenedStore> open_store_when_free(const Clock& clock, const config::Settings& settings,
                                         const store::StoreOptions& options,
                                         const telemetry::Log& log) {
    const auto give_up = clock.steady_now() + free_within;
    for (bool is_logged = false;; is_logged = true) {
        auto opened = open_store(settings, options);
        if (opened || opened.error().code != ErrorCode::busy || clock.steady_now() >= give_up) {
            return opened;
        }
        if (!is_logged) {
            log.info("waits up to 5 s for the other process to close the store",
                     {{"why", opened.error().detail}});
        }
        std::this_thread::sleep_for(retry_every);
    }
}

void OpenedStore::begin(QueueClock& clock) const {
    const auto offset = nodes == nullptr ? clock_offset : database_ahead(*nodes, clock.machine());
    clock.begin(offset, Uuid{last_sequence, 0}.time());
}

void end_process(const telemetry::Log& log, const config::StoreSettings& store,
                 const Error& error) {
    if (error.code == ErrorCode::fenced) {
        log.error("another node has taken over; nobody is answered, the process ends",
                  {{"why", error.detail}});
        std::_Exit(Gateway::exit_try_again);
    }
    const bool damaged = error.code == ErrorCode::damaged;
    log.error(damaged ? "the store is damaged; nobody is answered, the process ends"
                      : "the store cannot commit; nobody is answered, the process ends",
              {{"why", error.detail}});
    if (damaged) {
        std::_Exit(Gateway::exit_store_damaged);
    }
    std::_Exit(model::is_postgresql(store.url) ? Gateway::exit_try_again
                                               : Gateway::exit_store_failed);
}

}  // namespace merpati::daemon
