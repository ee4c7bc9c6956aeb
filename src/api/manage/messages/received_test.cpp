// Media of received messages: fetched from the platform, answered piece by piece.
#include <fcntl.h>
#include <filesystem>
#include <fstream>

#include "api/manage/engine/manage_fixture.hpp"
#include "http/body_source.hpp"

namespace merpati::api::manage {
namespace {

using namespace testing;

constexpr std::string_view number = "6281234567890";

struct ReceivedTest : ManageTest {
    ReceivedTest() {
        make_device(make_account(), number);
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) {
            return tables.keep_received_media({.id = id,
                                               .device = *model::PhoneNumber::parse(number),
                                               .platform_id = "3EB0A2",
                                               .mime = "image/png",
                                               .bytes = 0,
                                               .name = "foto.png",
                                               .reference = "rahasia"});
        }});
        write(batch);
        EXPECT_TRUE(batch.changes.front().result);
    }

    /// The file that a connector wrote.
    void arrives(const std::string& content) {
        const auto path = folder.file("received");
        platform.file = *media::ReceivedFile::create(path, 0600);
        std::ofstream{path, std::ios::binary} << content;
        other_end = FileDescriptor{::open(path.c_str(), O_PATH | O_CLOEXEC)};
        ASSERT_TRUE(platform.file->accept(content.size()));
    }
    Outcome ask() {
        return manage->handle(http::Method::get, "/v1/received/" + id.text() + "/media", {}, {});
    }

    const Uuid id{77, 7};
    FileDescriptor other_end;
};

TEST_F(ReceivedTest, AFileOfSeveralPiecesComesAsItIs) {
    std::string content(2 * http::BodyWriter::piece_max + 3, 'a');
    for (std::size_t place = 0; place < content.size(); ++place) {
        content[place] = static_cast<char>('a' + place % 23);
    }
    arrives(content);
    auto outcome = ask();
    ASSERT_NE(outcome.lines, nullptr) << outcome.body;
    EXPECT_EQ(outcome.content_type, "image/png");
    std::string all;
    for (bool is_last = false; !is_last;) {
        const auto piece = outcome.lines->next();
        ASSERT_TRUE(piece && !piece->text.empty());
        all += piece->text;
        ASSERT_LE(all.size(), content.size());
        is_last = piece->is_last;
    }
    EXPECT_TRUE(all == content);
    EXPECT_THAT(platform.calls, ElementsAre("fetch 6281234567890 3EB0A2 rahasia"));
}

TEST_F(ReceivedTest, AFileThatLostBytesIsCutOff) {
    arrives("gambar");
    std::filesystem::resize_file(fmt::format("/proc/self/fd/{}", other_end.get()), 3);
    auto outcome = ask();
    ASSERT_NE(outcome.lines, nullptr) << outcome.body;
    EXPECT_EQ(outcome.lines->next().error().code, ErrorCode::io_failed);
}

TEST_F(ReceivedTest, OfAnotherAccountIsAnsweredLikeAMissingOne) {
    arrives("gambar");
    const auto other = key_of(make_account(), model::Scopes{model::Scope::messages_read});
    const auto answer_for = [&](const Uuid& named) {
        const auto answer =
            call_as(other, http::Method::get, "/received/" + named.text() + "/media");
        EXPECT_EQ(answer.status, 404);
        auto text = answer.whole();
        const auto place = text.find(named.text());
        return place == std::string::npos ? text : text.erase(place, named.text().size());
    };
    EXPECT_EQ(answer_for(id), answer_for(Uuid{78, 7}));
    EXPECT_THAT(platform.calls, ::testing::IsEmpty());
}

TEST_F(ReceivedTest, AreNotShownToViewers) {
    arrives("gambar");
    model::Person person;
    person.memberships = {
        {.account = directory.find_device(*model::PhoneNumber::parse(number))->account,
         .role = model::Role::viewer,
         .since = {}}};
    const auto viewer = admission::Principal::of(std::make_shared<const model::Person>(person));
    EXPECT_EQ(call_as(viewer, http::Method::get, "/received/" + id.text() + "/media").status, 403);
    EXPECT_THAT(platform.calls, ::testing::IsEmpty());
}

}  // namespace
}  // namespace merpati::api::manage
