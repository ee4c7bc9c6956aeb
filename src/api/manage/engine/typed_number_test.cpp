#include "api/manage/engine/typed_number.hpp"

#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

TEST(TypedNumberTest, ANumberIsReadAsPeopleTypeIt) {
    for (const std::string_view typed :
         {"6281234567890", "+6281234567890", "081234567890", "0812-3456-7890", "+62 812 3456 7890",
          "+62 812-3456-7890", "(0812) 3456.7890", "006281234567890", "+62 (0)812 3456 7890",
          " 0812/34567890 "}) {
        EXPECT_EQ(international(typed), "6281234567890") << typed;
    }
    EXPECT_EQ(international("+1 202-555-0123"), "12025550123");
    EXPECT_EQ(international("0044 20 7946 0018"), "442079460018");
    for (const std::string_view typed :
         {"", "+", "00", " - ", "0812x", "++62812", "62+812", "0812\n3456", "٠٨١٢", "0812;"}) {
        EXPECT_EQ(international(typed), std::nullopt) << typed;
    }
}

struct TypedNumbersTest : ManageTest {
    std::string account = make_account();
    std::size_t found(std::string_view to) {
        const auto shown = get("/messages?to=" + std::string{to});
        EXPECT_EQ(shown.status, 200) << shown.whole();
        return shown.items().size();
    }
};

TEST_F(TypedNumbersTest, ADeviceIsAddedShownAndRemovedByItsNumberAsItIsTyped) {
    const auto added = post("/devices", R"({"account":"acc_1","number":"0811-0000-0001"})");
    EXPECT_EQ(added.status, 200) << added.whole();
    EXPECT_EQ(added.text("number"), "6281100000001");
    for (const std::string_view typed : {"6281100000001", "081100000001", "0811-0000-0001",
                                         "+6281100000001", "%2B62%20811-0000-0001"}) {
        EXPECT_EQ(get("/devices/" + std::string{typed}).text("number"), "6281100000001") << typed;
        EXPECT_EQ(post("/devices/" + std::string{typed} + "/pause").status, 200) << typed;
        EXPECT_EQ(get("/messages?device=" + std::string{typed}).status, 200) << typed;
    }
    EXPECT_EQ(post("/devices", R"({"account":"acc_1","number":"0000"})").status, 400);
    EXPECT_EQ(post("/devices", R"({"account":"acc_1","number":"0812abc"})").status, 400);
    EXPECT_EQ(get("/devices/0811-0000-0002").status, 404);
    EXPECT_EQ(del("/devices/0811-0000-0001").status, 200);
}

TEST_F(TypedNumbersTest, MessagesAreFoundByTheRecipientAsItIsTypedOrByItsLastDigits) {
    make_device(account, "6281100000001");
    accept(account, "6281100000001");  // To 6281234567890.
    for (const std::string_view to :
         {"6281234567890", "%2B6281234567890", "081234567890", "0812-3456-7890", "7890", "67890",
          "567890", "4567890", "7-890"}) {
        EXPECT_EQ(found(to), 1U) << to;
    }
    for (const std::string_view to : {"7891", "6281234567891", "07890", "81234567890", "0007890"}) {
        EXPECT_EQ(found(to), 0U) << to;
    }
    for (const std::string_view to : {"890", "0", "abcd", "%2B", "12x4"}) {
        EXPECT_EQ(get("/messages?to=" + std::string{to}).status, 400) << to;
    }
}

TEST_F(TypedNumbersTest, AViewerCannotFindRecipientsByTheirLastDigits) {
    make_device(account, "6281100000001");
    accept(account, "6281100000001");
    ASSERT_EQ(post("/admin/people", R"({"email":"v@toko.example","password":"kuda lumping 7",)"
                                    R"("account":"acc_1","role":"viewer"})")
                  .status,
              200);
    const auto viewer =
        admission::Principal::of(directory.people().find(std::string_view{"v@toko.example"}));
    EXPECT_EQ(call_as(viewer, http::Method::get, "/messages?to=7890").status, 403);
    EXPECT_EQ(call_as(viewer, http::Method::get, "/messages?to=081234567890").status, 403);
}

}  // namespace
}  // namespace merpati::api::manage::testing
