#include "daemon/node.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/thread.hpp"
#include "cluster/former_life.hpp"
#include "config/local_files.hpp"
#include "daemon/opened_store.hpp"

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto join_retry = 500ms;
constexpr auto first_move_within = 5s;

std::string life_file_of(const config::Settings& settings) {
    return config::local_files(settings.store) + ".node";
}

std::unexpected<Error> stopped() {
    return fail(ErrorCode::shutting_down, "stopped while another node was at work");
}

/// Whether the next try will probably meet the same. Others pass: the database is away, or the
/// process stops.
bool is_lasting(const Error& error) {
    return error.code != ErrorCode::unavailable && error.code != ErrorCode::busy &&
           error.code != ErrorCode::fenced && error.code != ErrorCode::shutting_down;
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
           NodeContacts contacts, telemetry::Log log, std::function<void(const Error&)> on_deposed)
    : clock_(clock),
      nodes_(nodes),
      name_(settings.cluster.node.value_or("")),
      lease_length_(settings.cluster.lease),
      life_file_(life_file_of(settings)),
      contacts_(std::move(contacts)),
      log_(std::move(log)),
      on_deposed_(std::move(on_deposed)),
      membership_(
          clock, nodes,
          {.entry = {.name = name_, .address = contacts_.address, .version = MERPATI_VERSION},
           .lease = lease_length_,
           .is_dead = contacts_.is_dead},
          log_) {}

Result<void> Node::enter(const Pause& pause) {
    if (auto joined = join(pause); !joined) {
        return joined;
    }
    if (!is_together()) {
        if (auto waited = wait_for_all(pause); !waited) {
            return waited;
        }
    }
    keep();
    return {};
}

Result<void> Node::wait_for_all(const Pause& pause) {
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
    return {};
}

/// A node of this name or address that has just died, elsewhere, is at work until its lease ends.
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
    if (!joined) {  // The other one may end some day.
        const auto& why = joined.error();
        return why.code == ErrorCode::conflict ? fail(ErrorCode::busy, why.detail) : pass(joined);
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
        const auto looks = membership_.looks();
        const auto next = membership_.step(!is_together() || moves_begun_);
        if (!next) {
            on_deposed_(next.error());
            return std::nullopt;
        }
        if (membership_.looks() != looks) {
            tell_owners();
            changed_.notify_all();
        }
        return *next;
    });
}

/// Others may not be told of this node before it works for a shard, nor while it ends that.
void Node::tell_owners() {
    if (!contacts_.on_owners || !self_) {
        return;
    }
    auto owners = membership_.owners();
    for (auto& [shard, owner] : owners) {
        if (owner == self_ && is_together() && !attached_.has(shard)) {
            owner.reset();
        }
    }
    contacts_.on_owners(*self_, membership_.nodes(), owners);
}

void Node::begin_moves(Moves moves) {
    if (!is_together()) {
        return;
    }
    std::unique_lock lock{mutex_};
    moves_ = std::move(moves);
    moves_begun_ = true;
    looks_seen_ = membership_.looks();
    mover_ = start_thread("moves", [this] { run_moves(); });
    changed_.wait_for(lock, first_move_within, [this] { return first_move_made_ || moves_end_; });
}

void Node::end_moves() {
    {
        const std::lock_guard lock{mutex_};
        moves_end_ = true;
    }
    changed_.notify_all();
    if (mover_.joinable()) {
        mover_.join();
    }
}

/// Looks at what the last look of the other thread has found. What could not be done is tried again
/// after a pause.
void Node::run_moves() {
    Lock lock{mutex_};
    bool is_done = true;
    while (!moves_end_) {
        const auto is_news = [this] { return moves_end_ || membership_.looks() != looks_seen_; };
        if (!is_done) {
            changed_.wait_for(lock, retry_every, [this] { return moves_end_; });
        } else if (const auto next = next_retry()) {
            changed_.wait_for(lock, *next - clock_.steady_now(), is_news);
        } else {
            changed_.wait(lock, is_news);
        }
        if (moves_end_) {
            return;
        }
        looks_seen_ = membership_.looks();
        is_done = move_once(lock);
        first_move_made_ = true;
        changed_.notify_all();
    }
}

/// False: something is left to do.
bool Node::move_once(Lock& lock) {
    const auto lost = attached_.without(membership_.owned());
    if (!lost.empty()) {
        log_.warn("accounts belong to another node; their work is dropped",
                  {{"shards", fmt::to_string(lost.size())}});
        std::ignore = detach(lock, lost, model::Leave::at_once);
    }
    if (const auto surplus = membership_.surplus(); !surplus.empty()) {
        auto given = surplus.list();
        given.resize(std::min(given.size(), given_at_once));
        if (!give_up(lock, store::ShardSet{given})) {
            return false;
        }
    }
    std::erase_if(failing_,
                  [this](const auto& one) { return !membership_.owned().has(one.first); });
    failing_count_ = failing_.size();
    const auto mine = membership_.owned().without(membership_.surplus()).without(attached_);
    return take_up(lock, mine.without(pausing()));
}

/// When a shard whose attach has failed is tried again; empty: there is none.
std::optional<SteadyTime> Node::next_retry() const {
    std::optional<SteadyTime> next;
    for (const auto& [shard, failing] : failing_) {
        next = std::min(next.value_or(failing.again_at), failing.again_at);
    }
    return next;
}

/// Those that are not tried again yet.
store::ShardSet Node::pausing() const {
    store::ShardSet found;
    for (const auto& [shard, failing] : failing_) {
        if (failing.again_at > clock_.steady_now()) {
            found.add(shard);
        }
    }
    return found;
}

/// What is not attached was detached before, and its release has failed; or it never was.
bool Node::give_up(Lock& lock, const store::ShardSet& shards) {
    const auto ended = shards.common_with(attached_);
    if (!ended.empty() && !detach(lock, ended, model::Leave::when_settled)) {
        return false;
    }
    if (moves_end_) {
        return false;
    }
    if (const auto released = membership_.release(shards); !released) {
        log_trouble("cannot give accounts to another node; trying again", released.error());
        return false;
    }
    logged_trouble_.clear();
    log_.info("gave accounts to another node", {{"shards", fmt::to_string(shards.size())}});
    tell_owners();
    return true;
}

/// Requests for the shards wait from the beginning on.
bool Node::detach(Lock& lock, const store::ShardSet& shards, model::Leave how) {
    attached_.remove(shards);
    tell_owners();
    lock.unlock();
    const auto detached = moves_.detach(shards.list(), how);
    lock.lock();
    return detached.has_value();
}

/// Connects devices, so it is not begun without a lease. False: something is left to do.
bool Node::take_up(Lock& lock, const store::ShardSet& shards) {
    if (shards.empty()) {
        return true;
    }
    if (moves_end_ || !membership_.lease().holds()) {
        return false;
    }
    lock.unlock();
    const auto began = clock_.steady_now();
    const auto attached = moves_.attach(shards.list());
    const auto took = std::chrono::ceil<Millis>(clock_.steady_now() - began);
    lock.lock();
    if (!attached && is_lasting(attached.error())) {
        return pass_over(lock, shards, attached.error());
    }
    if (!attached) {
        log_trouble("cannot begin to work for accounts; trying again", attached.error());
        return false;
    }
    logged_trouble_.clear();
    std::erase_if(failing_, [&](const auto& one) { return shards.has(one.first); });
    failing_count_ = failing_.size();
    attached_.add(shards);
    log_.info("works for accounts",
              {{"shards", fmt::to_string(attached_.size())}, {"ms", fmt::to_string(took.count())}});
    tell_owners();
    return true;
}

/// Attaches halves of the shards, down to the one that fails, whose next try has time. False:
/// something is left to do.
bool Node::pass_over(Lock& lock, const store::ShardSet& shards, const Error& error) {
    const auto list = shards.list();
    if (list.size() == 1) {
        note_failing(list.front(), error);
        return true;
    }
    const store::ShardSet half{std::span{list}.first(list.size() / 2)};
    for (const auto& part : {half, shards.without(half)}) {
        if (!take_up(lock, part.common_with(membership_.owned()))) {
            return false;
        }
    }
    return true;
}

/// What several shards fail for is logged once.
void Node::note_failing(store::Shard shard, const Error& error) {
    const bool is_logged = std::ranges::any_of(
        failing_, [&](const auto& one) { return one.second.why == error.detail; });
    auto& failing = failing_[shard];
    failing.why = error.detail;
    failing.pause = std::clamp<Millis>(2 * failing.pause, retry_every, retry_pause_max);
    failing.again_at = clock_.steady_now() + failing.pause;
    failing_count_ = failing_.size();
    if (!is_logged && !moves_end_) {
        log_.error("nobody works for the accounts of a shard; trying again, more and more rarely",
                   {{"shard", fmt::to_string(shard)}, {"why", error.describe()}});
    }
}

std::string Node::trouble() const {
    const auto count = failing_count_.load();
    return count == 0 ? std::string{}
                      : fmt::format(
                            "nobody works for the accounts of {} of {} parts, because they "
                            "cannot be read (the log says why)",
                            count, store::shard_count);
}

void Node::log_trouble(std::string_view what, const Error& error) {
    if (!moves_end_ && std::exchange(logged_trouble_, error.detail) != error.detail) {
        log_.warn(what, {{"why", error.detail}});
    }
}

void Node::announce_leave() {
    if (self_) {
        const std::lock_guard lock{mutex_};
        membership_.announce_leave();
    }
}

void Node::leave() {
    end_moves();
    thread_.stop();
    if (std::exchange(self_, std::nullopt)) {
        membership_.leave();
    }
}

Result<std::unique_ptr<Node>> enter_as_node(const Clock& clock, const config::Settings& settings,
                                            NodeContacts contacts, const telemetry::Log& log,
                                            OpenedStore& opened, const Pause& pause) {
    auto* nodes = opened.store->nodes();
    if (nodes == nullptr) {
        return nullptr;
    }
    auto node = std::make_unique<Node>(
        clock, *nodes, settings, std::move(contacts), log.in("node"),
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
    auto node = std::make_unique<Node>(clock, nodes, settings, NodeContacts{},
                                       telemetry::Log::none(), [](const Error&) {});
    const auto entered = node->enter([](std::chrono::milliseconds) { return true; });
    if (!entered && entered.error().code == ErrorCode::shutting_down) {
        return fail(ErrorCode::busy,
                    "another node starts on this database just now: try again, or run the command "
                    "on its machine");
    }
    return entered ? Result<std::unique_ptr<Node>>{std::move(node)} : pass(entered);
}

}  // namespace merpati::daemon
