#include "daemon/node.hpp"

#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "cluster/former_life.hpp"
#include "config/local_files.hpp"
#include "daemon/opened_store.hpp"
#include "daemon/standby.hpp"

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto join_retry = 500ms;

std::string life_file_of(const config::Settings& settings) {
    return config::local_files(settings.store) + ".node";
}

std::unexpected<Error> stopped() {
    return fail(ErrorCode::shutting_down, "stopped while another node was at work");
}

/// Deposes nodes that are silent for longer than their lease. Errors: busy (another one runs), and
/// those of Nodes::list and Nodes::depose.
Result<void> check_nobody_works(store::Nodes& nodes, const config::Settings& settings) {
    const auto listed = nodes.list();
    if (!listed) {
        return pass(listed);
    }
    const auto former = cluster::read_former_life(life_file_of(settings));
    for (const auto& node : *listed) {
        if (node.state == store::Node::State::gone || node.id == former) {
            continue;
        }
        // One that is frozen must not go on with what it has read before the change.
        const auto deposed = nodes.depose(node.id, settings.cluster.lease);
        if (!deposed) {
            return pass(deposed);
        }
        if (!*deposed) {
            return fail(ErrorCode::busy,
                        fmt::format("the node \"{}\" runs on this database: run the command on "
                                    "its machine",
                                    node.entry.name));
        }
    }
    return {};
}

}  // namespace

std::function<bool()> may_begin(const Node* node) {
    if (node == nullptr) {
        return {};
    }
    return [&lease = node->lease()] { return lease.holds(); };
}

Node::Node(const Clock& clock, store::Nodes& nodes, const config::Settings& settings,
           Standby* standby, telemetry::Log log, std::function<void(const Error&)> on_deposed)
    : clock_(clock),
      nodes_(nodes),
      name_(settings.cluster.node.value_or("")),
      lease_length_(settings.cluster.lease),
      life_file_(life_file_of(settings)),
      standby_(standby),
      log_(std::move(log)),
      on_deposed_(std::move(on_deposed)),
      membership_(clock, nodes,
                  {.entry = {.name = name_,
                             .address = standby == nullptr ? "" : standby->told_address(),
                             .version = MERPATI_VERSION},
                   .lease = lease_length_,
                   .is_dead =
                       [standby](const store::Node& node) {
                           return standby != nullptr && standby->is_dead(node);
                       }},
                  log_) {}

Result<void> Node::enter(const Pause& pause) {
    if (auto joined = join(pause); !joined) {
        return joined;
    }
    std::string logged;
    while (true) {
        const auto next = membership_.step();
        if (!next) {
            return pass(next);
        }
        if (membership_.owns_all()) {
            break;
        }
        const auto& owner = membership_.other_owner();
        if (standby_ != nullptr) {
            standby_->note_owner(owner);
        }
        if (owner && owner->entry.name != logged) {
            logged = owner->entry.name;
            log_.info("waits: another node is at work", {{"node", name_}, {"owner", logged}});
        }
        if (pause(*next)) {
            return stopped();
        }
    }
    has_followed_ = !logged.empty();
    log_.info("owns the accounts", {{"node", name_}});
    if (standby_ != nullptr) {
        standby_->note_own(*self_);
    }
    keep();
    return {};
}

/// A node of this name that has just died, elsewhere, is at work until its lease ends.
Result<void> Node::join(const Pause& pause) {
    if (const auto former = cluster::read_former_life(life_file_)) {
        std::ignore = nodes_.depose(*former, Millis{0});  // If that fails, its lease ends.
    }
    const auto give_up = clock_.steady_now() + lease_length_ + join_retry;
    auto joined = membership_.join();
    while (!joined && joined.error().code == ErrorCode::conflict && clock_.steady_now() < give_up) {
        if (pause(join_retry)) {
            return stopped();
        }
        joined = membership_.join();
    }
    if (!joined) {
        return pass(joined);
    }
    self_ = *joined;
    if (const auto written = cluster::write_life(life_file_, *joined); !written) {
        log_.warn("after a crash the next start waits for the lease",
                  {{"why", written.error().detail}});
    }
    return {};
}

void Node::keep() {
    thread_.start("node", Millis{1}, [this]() -> PeriodicThread::Pause {
        const std::lock_guard lock{mutex_};
        const auto next = membership_.step();
        if (!next) {
            on_deposed_(next.error());
            return std::nullopt;
        }
        return *next;
    });
}

void Node::announce_leave() {
    if (self_) {
        const std::lock_guard lock{mutex_};
        membership_.announce_leave();
    }
}

void Node::leave() {
    thread_.stop();
    if (std::exchange(self_, std::nullopt)) {
        membership_.leave();
    }
}

Result<std::unique_ptr<Node>> enter_as_node(const Clock& clock, const config::Settings& settings,
                                            Standby* standby, const telemetry::Log& log,
                                            OpenedStore& opened, const Pause& pause) {
    auto* nodes = opened.store->nodes();
    if (nodes == nullptr) {
        return nullptr;
    }
    auto node = std::make_unique<Node>(
        clock, *nodes, settings, standby, log.in("node"),
        [log, store = settings.store](const Error& error) { end_process(log, store, error); });
    if (auto entered = node->enter(pause); !entered) {
        return pass(entered);
    }
    if (auto read = opened.read_clock(); !read) {
        return pass(read);
    }
    if (node->has_followed()) {
        opened.clock_offset = Millis{0};  // The stored one is that of the other machine's clock.
    }
    return node;
}

Result<std::unique_ptr<Node>> enter_for_command(const Clock& clock, store::Nodes& nodes,
                                                const config::Settings& settings) {
    if (auto checked = check_nobody_works(nodes, settings); !checked) {
        return pass(checked);
    }
    // A command that was deposed need not end at once: what it still writes is refused.
    auto node = std::make_unique<Node>(clock, nodes, settings, nullptr, telemetry::Log::none(),
                                       [](const Error&) {});
    const auto entered = node->enter([](std::chrono::milliseconds) { return true; });
    if (!entered && entered.error().code == ErrorCode::shutting_down) {
        return fail(ErrorCode::busy,
                    "another node starts on this database just now: try again, or run the command "
                    "on its machine");
    }
    return entered ? Result<std::unique_ptr<Node>>{std::move(node)} : pass(entered);
}

}  // namespace merpati::daemon
