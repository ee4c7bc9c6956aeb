// A request that every node gets: whose answer it has, and who gets it at all.
#include "forwarding/broadcast.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "forwarding/forwarding_fixture.hpp"

namespace merpati::forwarding {
namespace {

using Part = Broadcast::Part;

struct BroadcastTest : ForwardingFixture<> {
    class Client final : public http::ReplySink {
    public:
        explicit Client(BroadcastTest& test) : test_(test) {}
        void deliver(http::Reply&& reply) override {
            const std::lock_guard lock{test_.mutex};
            test_.answer = std::move(reply);
        }

    private:
        BroadcastTest& test_;
    };
    BroadcastTest() {
        for (auto* node : {&first, &second}) {
            node->routes.add(http::Method::post, "/all",
                             [](const http::Request& request, http::Responder responder) {
                                 const auto status = request.header("X-Status").value_or("200");
                                 responder.send({.status = static_cast<std::uint16_t>(
                                                     std::stoi(std::string{status})),
                                                 .body = std::string{request.body}});
                             });
        }
        Owners owners = owner_of_all(owner_at(1, first));
        owners.at(1) = owner_at(2, second);
        forwarder.set_owners(owners);
    }

    /// `status`: that of the answers of the two other nodes.
    std::shared_ptr<Broadcast> begin(std::string_view status = "200") {
        headers = {{"X-Status", status}};
        const http::Request asked{.method = http::Method::post, .path = "/all", .headers = headers};
        return std::make_shared<Broadcast>(
            asked, http::Responder{std::make_shared<Client>(*this)},
            Broadcast::Rules{.part_in =
                                 [](const http::Reply& reply) {
                                     return reply.status == 200   ? Part::taken
                                            : reply.status == 401 ? Part::knows_nobody
                                                                  : Part::not_taken;
                                 },
                             .spread =
                                 [this](Broadcast& all, Part own) {
                                     spread.push_back(own);
                                     if (refuses) {
                                         all.answer({.status = 429});
                                     } else {
                                         all.send(sending, others, http::Party::platform());
                                     }
                                 },
                             .ended =
                                 [this](http::Reply reply, Part best) {
                                     ended.push_back(best);
                                     return reply;
                                 }});
    }
    /// Of a request whose body is complete.
    void answer_own(Broadcast& all, std::uint16_t status) {
        auto own = all.own_answer();
        all.end_body();
        own.send({.status = status});
    }
    int status() {
        EXPECT_TRUE(eventually([this] {
            const std::lock_guard lock{mutex};
            return answer.has_value();
        }));
        const std::lock_guard lock{mutex};
        return answer ? answer->status : 0;
    }

    std::vector<http::Request::Header> headers;
    std::vector<Shard> others{Shard{0}, Shard{1}};
    bool refuses = false;
    std::vector<Part> spread;
    std::vector<Part> ended;
    std::mutex mutex;
    std::optional<http::Reply> answer;
};

TEST_F(BroadcastTest, AllNodesGetTheWholeBody) {
    const auto all = begin();
    std::string here;
    BroadcastBody body{all, std::make_unique<NotingReceiver>(here)};
    auto own = all->own_answer();
    body.take("for ", http::PieceHold{nullptr, 0});
    body.take("all", http::PieceHold{nullptr, 0});
    body.finish();
    EXPECT_EQ(here, "for all.");
    EXPECT_TRUE(spread.empty()) << "this node has not answered";
    own.send({.status = 401});
    EXPECT_EQ(status(), 200);
    EXPECT_EQ(answer->body, "for all");
    EXPECT_EQ(spread, std::vector{Part::knows_nobody});
    EXPECT_EQ(ended, std::vector{Part::taken});
}

TEST_F(BroadcastTest, TheAnswerIsThatOfWhoCouldNotTakeItsPart) {
    answer_own(*begin("503"), 200);
    EXPECT_EQ(status(), 503);
    EXPECT_EQ(ended, std::vector{Part::not_taken});
}

TEST_F(BroadcastTest, WhatThisNodeHasTakenNeedConcernNobodyElse) {
    answer_own(*begin("401"), 200);
    EXPECT_EQ(status(), 200);
}

TEST_F(BroadcastTest, WhatNobodyKnowsIsAnsweredSo) {
    answer_own(*begin("401"), 401);
    EXPECT_EQ(status(), 401);
}

TEST_F(BroadcastTest, WhatThisNodeCannotTakeGoesToNobodyElse) {
    answer_own(*begin(), 503);
    EXPECT_EQ(status(), 503);
    EXPECT_TRUE(spread.empty());
}

TEST_F(BroadcastTest, WhatIsAnsweredBeforeItsBodyHasComeGoesToNobodyElse) {
    for (const auto early : {std::uint16_t{401}, std::uint16_t{503}}) {
        const auto all = begin();
        all->own_answer().send({.status = early});
        EXPECT_EQ(status(), early);
    }
    EXPECT_TRUE(spread.empty());
}

TEST_F(BroadcastTest, ItMayBeRefusedBeforeOthersGetIt) {
    refuses = true;
    answer_own(*begin(), 401);
    EXPECT_EQ(status(), 429);
    EXPECT_TRUE(ended.empty());
}

TEST_F(BroadcastTest, ANodeWithoutOthersAnswersAlone) {
    others.clear();
    answer_own(*begin(), 401);
    EXPECT_EQ(status(), 401);
    EXPECT_EQ(ended, std::vector{Part::knows_nobody});
}

}  // namespace
}  // namespace merpati::forwarding
