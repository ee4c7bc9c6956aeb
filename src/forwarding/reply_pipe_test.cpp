#include "forwarding/reply_pipe.hpp"

#include <gtest/gtest.h>

#include "base/encoding.hpp"

namespace merpati::forwarding {
namespace {

/// The connection that takes the pieces.
struct Taker final : http::BodySink {
    void take_piece(std::string&& bytes, bool last) override {
        taken += bytes;
        ended = last;
    }
    void cut_off() override { is_cut = true; }

    std::string taken;
    bool ended = false;
    bool is_cut = false;
};

struct ReplyPipeTest : ::testing::Test {
    void ask() { source->next(http::BodyWriter{taker}); }

    std::shared_ptr<Taker> taker = std::make_shared<Taker>();
    int changes = 0;
    std::shared_ptr<ReplyPipe> pipe = std::make_shared<ReplyPipe>([this] { ++changes; });
    std::unique_ptr<http::BodySource> source = pipe->source();
};

TEST_F(ReplyPipeTest, APieceGoesToWhoWaitsForIt) {
    ask();
    EXPECT_TRUE(pipe->put(as_bytes("one")));
    EXPECT_EQ(taker->taken, "one");
    ask();
    pipe->finish();
    EXPECT_TRUE(taker->ended);
    EXPECT_FALSE(taker->is_cut);
}

TEST_F(ReplyPipeTest, PiecesWaitForWhoReads) {
    EXPECT_TRUE(pipe->put(as_bytes("one")));
    EXPECT_TRUE(pipe->put(as_bytes(" two")));
    pipe->finish();
    ask();
    EXPECT_EQ(taker->taken, "one two");
    EXPECT_FALSE(taker->ended);
    ask();
    EXPECT_TRUE(taker->ended);
}

TEST_F(ReplyPipeTest, SaysWhenThereIsRoomAgain) {
    EXPECT_TRUE(pipe->put(as_bytes(std::string(ReplyPipe::room_max, 'x'))));
    EXPECT_TRUE(pipe->has_room());
    EXPECT_TRUE(pipe->put(as_bytes("y")));
    EXPECT_FALSE(pipe->has_room());
    EXPECT_EQ(changes, 0);
    ask();
    EXPECT_TRUE(pipe->has_room());
    EXPECT_EQ(changes, 1);
}

TEST_F(ReplyPipeTest, ABodyThatIsBrokenOffIsCutOff) {
    EXPECT_TRUE(pipe->put(as_bytes("one")));
    pipe->break_off();
    ask();
    EXPECT_EQ(taker->taken, "one");
    EXPECT_FALSE(taker->is_cut);
    ask();
    EXPECT_TRUE(taker->is_cut);
}

TEST_F(ReplyPipeTest, SaysThatNobodyReadsAnyMore) {
    EXPECT_FALSE(pipe->is_left());
    source.reset();
    EXPECT_TRUE(pipe->is_left());
    EXPECT_EQ(changes, 1);
    EXPECT_FALSE(pipe->put(as_bytes("one")));
}

}  // namespace
}  // namespace merpati::forwarding
