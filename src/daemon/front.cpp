#include "daemon/front.hpp"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/errors.hpp"
#include "api/manage/engine/fields.hpp"
#include "api/manage/engine/problem.hpp"
#include "daemon/options.hpp"
#include "forwarding/channel_text.hpp"
#include "forwarding/divertible_body.hpp"
#include "forwarding/kept_body.hpp"
#include "forwarding/kept_request.hpp"
#include "forwarding/not_here.hpp"
#include "forwarding/passage_text.hpp"

namespace merpati::daemon {
namespace {

using store::Shard;

forwarding::Shard in_table(Shard shard) {
    return static_cast<forwarding::Shard>(shard);
}

forwarding::Owner in_table(const store::Node& node) {
    return {.node = node.id.node, .generation = node.id.generation, .address = node.entry.address};
}

/// Questions, what people say by the links of campaigns (api::OptOutPage), and calls of which the
/// ledger of Idempotency-Keys knows whether they were answered.
bool is_repeatable(const http::Request& request) {
    using http::Method;
    if (request.method == Method::get || request.method == Method::head ||
        request.method == Method::options || request.path.starts_with("/o/")) {
        return true;
    }
    return request.header("Idempotency-Key") &&
           std::ranges::any_of(api::operations(), [&](const api::Operation& operation) {
               return operation.idempotent && operation.method == request.method &&
                      http::match_path(operation.path, request.path);
           });
}

/// What those of the published interface answer is whole, whichever operation it is.
forwarding::AnswerSize answer_of(const api::Operation& operation) {
    return std::holds_alternative<api::AccountHandler*>(operation.answerer)
               ? forwarding::AnswerSize::brief
               : forwarding::AnswerSize::any;
}

/// The address by which a process reaches what it listens on itself.
std::string reachable(std::string address) {
    for (const auto& [all, local] :
         {std::pair{std::string_view{"0.0.0.0:"}, std::string_view{"127.0.0.1:"}},
          std::pair{std::string_view{"[::]:"}, std::string_view{"[::1]:"}}}) {
        if (address.starts_with(all)) {
            address.replace(0, all.size(), local);
        }
    }
    return address;
}

/// The account that the query names; empty: none.
std::optional<model::AccountId> account_in(std::string_view query) {
    if (!query.contains("account=")) {
        return std::nullopt;
    }
    const auto fields = api::manage::Fields::from_query(query);
    const auto named = fields ? fields->peek("account") : std::nullopt;
    return named ? model::AccountId::parse(*named) : std::nullopt;
}

/// Without what only nodes are told.
http::Reply not_now() {
    auto reply = api::failure(api::Refusal::elsewhere);
    reply.headers.clear();
    reply.add_header("Retry-After", "1");
    return reply;
}

}  // namespace

Front::Front(const Clock& clock, Random& random, const config::Settings& settings,
             const telemetry::Log& log, const forwarding::NodeSecret& secret)
    : clock_(clock),
      log_(log.in("front")),
      secret_(secret),
      forwarder_(clock, api::refusal_body,
                 {.channel_request = forwarding::channel_request(secret_)}, log.in("front")),
      sending_(forwarder_, secret_, is_repeatable,
               [this](const auto& asked) { return callers_->party_of(asked); }),
      receiving_(
          secret_, api::refusal_body, cluster_http_options(settings).limits,
          [this](const auto& asked) { return callers_->party_of(asked); }, log.in("front")),
      cluster_server_(clock, random, cluster_http_options(settings), cluster_router_,
                      cluster_router_, forwarding::refusal_to_nodes(api::refusal_body),
                      log.in("http")),
      told_address_(settings.cluster.address.value_or("")),
      names_(static_cast<std::size_t>(store::shard_count)),
      ids_(static_cast<std::size_t>(store::shard_count)) {
    receiving_.add_routes(cluster_router_);
}

Result<void> Front::start() {
    forwarder_.start();
    if (auto up = cluster_server_.start(); !up) {
        return up;
    }
    if (told_address_.empty()) {
        told_address_ = cluster_server_.addresses().front();
    }
    return {};
}

void Front::note_owners(const store::NodeGeneration& self, const std::vector<store::Node>& nodes,
                        const std::vector<store::ShardOwner>& owners) {
    forwarding::Owners table;
    std::vector<forwarding::Owner> leaving;
    for (const auto& node : nodes) {
        if (node.state == store::Node::State::leaving && node.id != self) {
            leaving.push_back(in_table(node));
        }
    }
    {
        const std::lock_guard lock{mutex_};
        self_ = self.node;
        has_others_ = std::ranges::any_of(nodes, [&](const store::Node& node) {
            return node.state == store::Node::State::live && node.id != self;
        });
        const auto before = ids_;
        for (const auto& [shard, owner] : owners) {
            const auto place = static_cast<std::size_t>(shard);
            const auto node =
                owner ? std::ranges::find(nodes, *owner, &store::Node::id) : nodes.end();
            const bool is_own = node != nodes.end() && node->id == self;
            // One that leaves takes no requests any more, and may close its connections.
            if (node == nodes.end() || (!is_own && node->state != store::Node::State::live)) {
                names_.at(place).clear();
                ids_.at(place).reset();
                continue;
            }
            names_.at(place) = node->entry.name;
            ids_.at(place) = node->id.node;
            auto& entry = table.at(place).emplace(in_table(*node));
            if (is_own) {
                entry.address = reachable(cluster_server_.addresses().front());
            }
        }
        if (ids_ != before) {
            moved_at_ = clock_.steady_now();
            ++moves_;
        }
    }
    forwarder_.set_owners(std::move(table), std::move(leaving));
}

bool Front::is_dead(const store::Node& node) const {
    return forwarder_.is_dead(in_table(node));
}

void Front::attend(const admission::Ownership& ownership, const api::Callers& callers,
                   const api::CloudWebhook& webhook) {
    ownership_ = &ownership;
    callers_ = &callers;
    posts_.attend(webhook);
}

void Front::leave() {
    receiving_.leave();
    const std::lock_guard lock{mutex_};
    if (!left_at_ && has_others_) {
        left_at_ = clock_.steady_now();
    }
}

/// A request that is sent while its connection closes may be lost, and nobody knows whether it was
/// carried out. So others have time to see that this node leaves: those that work for nothing yet,
/// too, because they also pass requests on.
void Front::drain(std::chrono::milliseconds patience) {
    if (left_at_) {
        std::this_thread::sleep_for(*left_at_ + quiet_within - clock_.steady_now());
    }
    const auto give_up = clock_.steady_now() + patience;
    cluster_server_.drain(patience);
    const auto left = give_up - clock_.steady_now();
    receiving_.drain(
        std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds{0}));
}

void Front::stop() {
    receiving_.leave();
    forwarder_.stop();
    cluster_server_.stop();
    receiving_.stop();
}

bool Front::is_here(Shard shard) const {
    return ownership_->of_shard(shard) == admission::Stay::here;
}

bool Front::may_be_here(const api::Operation& operation, Shard shard) const {
    const bool leaves = ownership_->of_shard(shard) == admission::Stay::leaving;
    return is_here(shard) || (leaves && api::place_of(operation) == api::Place::account);
}

/// Others may have seen later than this node who works for what. A shard that leaves this node is
/// nobody's, but its devices are still here.
bool Front::is_settled() const {
    const std::lock_guard lock{mutex_};
    if (clock_.steady_now() < moved_at_ + known_within) {
        return false;
    }
    for (Shard shard = 0; shard < store::shard_count; ++shard) {
        const auto& node = ids_.at(static_cast<std::size_t>(shard));
        const bool is_known = node ? node != self_ || is_here(shard)
                                   : ownership_->of_shard(shard) == admission::Stay::leaving;
        if (!is_known) {
            return false;
        }
    }
    return true;
}

/// Read before and after a post, the count shows each change of this node's accounts in between,
/// also one that began before the first.
std::optional<std::uint64_t> Front::settled_moves() const {
    const auto changes = ownership_->changes();
    return changes && is_settled() ? std::optional{*changes + moves()} : std::nullopt;
}

std::uint64_t Front::moves() const {
    const std::lock_guard lock{mutex_};
    return moves_;
}

std::vector<forwarding::Shard> Front::others() const {
    const std::lock_guard lock{mutex_};
    std::vector<forwarding::Shard> found;
    std::set<std::int64_t> known;
    for (Shard shard = 0; shard < store::shard_count; ++shard) {
        const auto& node = ids_.at(static_cast<std::size_t>(shard));
        if (node && node != self_ && known.insert(*node).second) {
            found.push_back(in_table(shard));
        }
    }
    return found;
}

std::optional<Shard> Front::shard_of(const api::Operation& operation,
                                     const http::Request& request) const {
    switch (api::place_of(operation)) {
        case api::Place::asked:
        case api::Place::all:
            return std::nullopt;
        case api::Place::people:
            return Shard{0};
        case api::Place::account:
            break;
    }
    // What is about all accounts, or names its account by an id or a token, says itself where that
    // is.
    if (operation.scope == api::Scope::anyone) {
        return std::nullopt;
    }
    const auto caller = callers_->identify(request, operation.takes_basic);
    if (caller) {
        api::Callers::vouch(request, *caller);  // Wherever the call is carried out.
    }
    if (!caller || operation.needs == model::Scope::admin) {
        return std::nullopt;
    }
    const auto only = caller->only_account();
    const auto account = caller->kind == admission::Principal::Kind::api_key
                             ? only
                             : account_in(request.query).or_else([&] { return only; });
    return account.transform([](model::AccountId id) { return store::shard_of(id); });
}

void Front::pass_on(const api::Operation& operation, std::optional<Shard> shard,
                    const http::Request& request, http::Responder responder) const {
    if (!shard) {
        responder.send(not_now());
    } else if (operation.scope == api::Scope::machine) {
        refuse_files(*shard, std::move(responder));
    } else {
        sending_.pass_on(in_table(*shard), request, std::move(responder), answer_of(operation));
    }
}

void Front::refuse_files(Shard shard, http::Responder responder) const {
    std::string name;
    {
        const std::lock_guard lock{mutex_};
        name = names_.at(static_cast<std::size_t>(shard));
    }
    responder.send(api::manage::reply_of(
        api::manage::problem(409, "conflict",
                             name.empty()
                                 ? std::string{"no node works for the device now: try again"}
                                 : fmt::format("the node \"{}\" works for the device: run this on "
                                               "its machine",
                                               name)),
        api::Language::english));
}

http::Handler Front::guard(const api::Operation& operation, http::Handler handler) {
    if (api::place_of(operation) == api::Place::asked) {
        return handler;
    }
    return [this, &operation, handler = std::move(handler)](const http::Request& request,
                                                            http::Responder responder) {
        const auto shard = shard_of(operation, request);
        if (shard && !may_be_here(operation, *shard)) {
            pass_on(operation, shard, request, std::move(responder));
            return;
        }
        auto kept = std::make_shared<forwarding::KeptWhole>(request);
        handler(request, forwarding::watch_for_elsewhere(
                             std::move(responder),
                             [this, &operation, shard, kept](std::optional<forwarding::Shard> named,
                                                             http::Responder late) {
                                 const auto other =
                                     named ? std::optional{static_cast<Shard>(*named)} : shard;
                                 pass_on(operation, other, kept->request(), std::move(late));
                             }));
    };
}

http::UploadHandler Front::guard(const api::Operation& operation, http::UploadHandler handler) {
    if (api::place_of(operation) == api::Place::all) {
        return [this, handler = std::move(handler)](
                   const http::Request& request, http::Responder responder, http::PieceHold hold) {
            return posts_.take(handler, request, std::move(responder), std::move(hold));
        };
    }
    return [this, &operation, handler = std::move(handler)](
               const http::Request& request, http::Responder responder,
               http::PieceHold hold) -> std::unique_ptr<http::BodyReceiver> {
        const auto shard = shard_of(operation, request);
        if (shard && !may_be_here(operation, *shard)) {
            return sending_.take(in_table(*shard), request, std::move(responder));
        }
        if (std::holds_alternative<api::BodyHandler*>(operation.answerer)) {
            return keep_body(handler, request, std::move(responder), std::move(hold), shard);
        }
        const auto kept = std::make_shared<forwarding::KeptWhole>(request);
        const auto way = std::make_shared<forwarding::BodyWay>();
        auto watched = forwarding::watch_for_elsewhere(
            std::move(responder),
            [this, shard, kept, way](std::optional<forwarding::Shard> named, http::Responder late) {
                const auto other =
                    named ? named : shard.transform([](Shard one) { return in_table(one); });
                const bool is_diverted = other && way->divert([&] {
                    return sending_.take(*other, kept->request(), std::move(late));
                });
                if (!is_diverted) {
                    late.send(not_now());
                }
            });
        return way->lead(handler(request, std::move(watched), std::move(hold)))
                   ? std::make_unique<forwarding::DivertibleBody>(way)
                   : nullptr;
    };
}

/// The account may be in the body, so that its whole is there before it is found to be elsewhere.
std::unique_ptr<http::BodyReceiver> Front::keep_body(const http::UploadHandler& handler,
                                                     const http::Request& request,
                                                     http::Responder responder,
                                                     http::PieceHold hold,
                                                     std::optional<Shard> shard) {
    const auto body =
        std::make_shared<forwarding::KeptBody>(kept_room_, callers_->party_of(request), request);
    auto here = handler(
        request,
        forwarding::watch_for_elsewhere(
            std::move(responder),
            [this, shard, body](std::optional<forwarding::Shard> named, http::Responder late) {
                const auto other =
                    named ? named : shard.transform([](Shard one) { return in_table(one); });
                if (other && body->is_whole()) {
                    sending_.pass_on(*other, body->request(), std::move(late));
                } else {
                    late.send(not_now());
                }
            }),
        std::move(hold));
    return here == nullptr ? nullptr
                           : std::make_unique<forwarding::KeepingReceiver>(body, std::move(here));
}

Result<std::unique_ptr<Front>> start_front(const Clock& clock, Random& random,
                                           const config::Settings& settings,
                                           const telemetry::Log& log) {
    if (!settings.cluster.listen) {
        return nullptr;
    }
    auto secret = forwarding::NodeSecret::open(
        settings.cluster.key_file.value_or(settings.store.key_file.value_or("")));
    if (!secret) {
        return pass(secret);
    }
    auto front = std::make_unique<Front>(clock, random, settings, log, *secret);
    if (auto started = front->start(); !started) {
        return pass(started);
    }
    return front;
}

}  // namespace merpati::daemon
