// Several nodes and their database, with clocks that the test moves.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cluster/membership.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::cluster {

/// The rows of nodes, with the database's clock.
struct SharedRows {
    testing::ManualClock clock;
    std::vector<store::Node> nodes;
    std::vector<store::ShardOwner> owners;
    bool is_away = false;
    std::size_t claimable = store::shard_count;  // In one claim: others take the rest.

    SharedRows() {
        for (store::Shard shard = 0; shard < store::shard_count; ++shard) {
            owners.push_back({.shard = shard, .owner = {}});
        }
    }

    /// Null: the generation has ended.
    store::Node* find(const store::NodeGeneration& id) {
        for (auto& node : nodes) {
            if (node.id == id && node.state != store::Node::State::gone) {
                return &node;
            }
        }
        return nullptr;
    }
    bool end(store::NodeGeneration id, Millis silent_for) {
        auto* node = find(id);
        if (node == nullptr || clock.now() - node->seen_at < silent_for) {
            return false;
        }
        ++node->id.generation;
        node->state = store::Node::State::gone;
        for (auto& [shard, owner] : owners) {
            if (owner == id) {
                owner.reset();
            }
        }
        return true;
    }
};

/// What one process sees of them.
class FakeNodes final : public store::Nodes {
public:
    explicit FakeNodes(SharedRows& rows) : rows_(rows) {}

    Result<store::NodeGeneration> join(const store::NodeEntry& entry, Millis lease) override {
        if (rows_.is_away) {
            return away();
        }
        const auto now = rows_.clock.now();
        for (const auto& node : rows_.nodes) {
            if (!entry.address.empty() && node.entry.address == entry.address &&
                node.entry.name != entry.name && node.state != store::Node::State::gone &&
                now - node.seen_at < lease) {
                return fail(ErrorCode::conflict, "another node is at work at the address");
            }
        }
        for (auto& node : rows_.nodes) {
            if (node.entry.name != entry.name) {
                continue;
            }
            if (node.state != store::Node::State::gone && now - node.seen_at < lease) {
                return fail(ErrorCode::conflict, "the node is at work");
            }
            (void)rows_.end(node.id, Millis{0});
            self_ = {.node = node.id.node, .generation = node.id.generation + 1};
            node = {.id = self_, .entry = entry, .joined_at = now, .seen_at = now};
            return self_;
        }
        self_ = {.node = std::ssize(rows_.nodes) + 1, .generation = 1};
        rows_.nodes.push_back({.id = self_, .entry = entry, .joined_at = now, .seen_at = now});
        return self_;
    }
    Result<void> renew() override {
        return as_self([this](store::Node& self) { self.seen_at = rows_.clock.now(); });
    }
    Result<std::vector<store::Node>> list() override {
        if (rows_.is_away) {
            return away();
        }
        for (auto& node : rows_.nodes) {
            node.silent_for = rows_.clock.now() - node.seen_at;
        }
        return rows_.nodes;
    }
    Result<std::vector<store::ShardOwner>> owners() override {
        return rows_.is_away ? away() : Result<std::vector<store::ShardOwner>>{rows_.owners};
    }
    Result<std::vector<store::Shard>> claim(std::span<const store::Shard> shards) override {
        std::vector<store::Shard> taken;
        auto claimed = as_self([&](store::Node& self) {
            for (const auto shard : shards) {
                auto& owner = rows_.owners.at(static_cast<std::size_t>(shard)).owner;
                if (!owner && taken.size() < rows_.claimable) {
                    owner = self.id;
                    taken.push_back(shard);
                }
            }
        });
        return claimed ? Result<std::vector<store::Shard>>{std::move(taken)} : pass(claimed);
    }
    Result<void> release(std::span<const store::Shard> shards) override {
        return as_self([&](store::Node& self) {
            for (const auto shard : shards) {
                auto& owner = rows_.owners.at(static_cast<std::size_t>(shard)).owner;
                if (owner == self.id) {
                    owner.reset();
                }
            }
        });
    }
    Result<void> announce_leave() override {
        return as_self([](store::Node& self) { self.state = store::Node::State::leaving; });
    }
    Result<void> leave() override {
        return as_self([this](store::Node& self) { (void)rows_.end(self.id, Millis{0}); });
    }
    Result<bool> depose(const store::NodeGeneration& other, Millis silent_for) override {
        return rows_.is_away ? away() : Result<bool>{rows_.end(other, silent_for)};
    }

private:
    static std::unexpected<Error> away() { return fail(ErrorCode::unavailable, "no route"); }

    template <class Body>
    Result<void> as_self(Body body) {
        if (rows_.is_away) {
            return away();
        }
        auto* self = rows_.find(self_);
        if (self == nullptr) {
            return fail(ErrorCode::fenced, "this node was deposed");
        }
        body(*self);
        return {};
    }

    SharedRows& rows_;
    store::NodeGeneration self_;
};

/// Nodes "a", "b" and so on, each a process with a clock of its own, which take their steps when
/// time passes. What others should have they give up at once.
struct SharedNodesFixture : ::testing::Test {
    static constexpr Millis lease{10'000};
    static constexpr std::size_t given_at_once = 32;

    struct Process {
        explicit Process(SharedRows& rows, std::string name, std::string address)
            : nodes(rows),
              membership(clock, nodes,
                         {.entry = {.name = std::move(name),
                                    .address = std::move(address),
                                    .version = "1"},
                          .lease = lease,
                          .is_dead = [this](const auto& node) { return node.entry.name == dead; }},
                         telemetry::Log::none()) {}

        testing::ManualClock clock;
        std::string dead{};  // The node that it takes for one whose process has ended.
        FakeNodes nodes;
        Membership membership;
        SteadyTime step_at{};
        bool claims = true;
        bool is_frozen = false;
        std::size_t given = 0;         // Shards that it gave up.
        std::optional<Error> ended{};  // Why it has ended.
    };

    Process& start(const std::string& name) {
        auto process =
            std::make_unique<Process>(rows, name, is_together ? name + ".example:8081" : "");
        const auto joined = process->membership.join();
        EXPECT_TRUE(joined) << (joined ? "" : joined.error().describe());
        return *(processes[name] = std::move(process));
    }
    void kill(const std::string& name) { processes.erase(name); }
    Process& process(const std::string& name) { return *processes.at(name); }

    /// Lets time pass everywhere, in small steps.
    void pass_time(Millis time) {
        constexpr Millis step{50};
        for (Millis passed{0}; passed < time; passed += step) {
            rows.clock.advance(step);
            for (auto& [name, one] : processes) {
                one->clock.advance(step);
                run(*one);
            }
        }
    }
    static void run(Process& one) {
        if (one.is_frozen || one.ended || one.clock.steady_now() < one.step_at) {
            return;
        }
        const auto pause = one.membership.step(one.claims);
        if (!pause) {
            one.ended = pause.error();
            return;
        }
        one.step_at = one.clock.steady_now() + *pause;
        if (const auto surplus = one.membership.surplus(); !surplus.empty()) {
            auto given = surplus.list();
            given.resize(std::min(given.size(), given_at_once));
            EXPECT_TRUE(one.membership.release(store::ShardSet{given}));
            one.given += given.size();
        }
    }

    [[nodiscard]] std::size_t owned(const std::string& name) const {
        std::size_t count = 0;
        for (const auto& node : rows.nodes) {
            for (const auto& [shard, owner] : rows.owners) {
                count += node.entry.name == name && owner == node.id ? 1 : 0;
            }
        }
        return count;
    }

    SharedRows rows;
    bool is_together = false;  // The nodes that start have addresses.
    std::map<std::string, std::unique_ptr<Process>> processes;
};

}  // namespace merpati::cluster
