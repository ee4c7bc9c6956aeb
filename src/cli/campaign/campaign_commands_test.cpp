// Commands of campaigns, contacts and suppressions, on a store that no server has open.
#include <fstream>

#include "cli/cli_fixture.hpp"

namespace merpati::cli::testing {
namespace {

struct CampaignCommandsTest : CliTest {
    void SetUp() override {
        json({"account", "create", "Toko", "--credits", "100"});
        json({"device", "add", "acc_1", "6281100000001"});
    }

    struct Draft {
        std::string name = "Promo";
        std::string message = "Halo {{nama|Kak}}";
    };
    /// Creates a transactional campaign.
    Printed create(const Draft& draft) {
        return json({"campaign", "create", "acc_1", "--name", draft.name, "--device",
                     "6281100000001", "--message", draft.message, "--purpose", "transactional"});
    }
    Printed create() { return create(Draft{}); }

    std::string file(const char* name, const std::string& text) {
        std::ofstream{folder.file(name), std::ios::binary} << text;
        return folder.file(name);
    }

    Printed import(const std::string& csv) {
        return json({"campaign", "import", "cmp_1", file("list.csv", csv)});
    }
};

TEST_F(CampaignCommandsTest, ACampaignIsCreatedChangedListedAndRemoved) {
    EXPECT_EQ(create().text("id"), "cmp_1");
    EXPECT_EQ(json({"campaign", "edit", "1", "--name", "Lain", "--per-minute", "5"})
                  .json()
                  .at("pace")
                  .at("per_minute"),
              5);
    EXPECT_EQ(json({"campaign", "show", "cmp_1"}).text("name"), "Lain");
    EXPECT_EQ(json({"campaign", "list", "--state", "draft"}).json().as_array().size(), 1U);
    EXPECT_EQ(json({"campaign", "list", "--account", "1", "--state", "running"}).out, "[]\n");
    EXPECT_THAT(run({"campaign", "create", "1", "--name", "x", "--device", "6281100000001"}).out,
                ::testing::StartsWith("Created. Next, its recipients: merpati campaign import ID "
                                      "FILE\nid "));
    json({"campaign", "remove", "cmp_1"});
    const auto gone = run({"campaign", "show", "cmp_1"});
    EXPECT_EQ(gone.code, exit_failed);
    EXPECT_EQ(gone.err, "merpati: there is no campaign cmp_1 (`merpati campaign list`)\n");
}

TEST_F(CampaignCommandsTest, RecipientsAreImportedListedReportedAndCleared) {
    create();
    const auto imported = import("Nomor;nama\n081234567890;Ani\n081234567890;Ani\nx;Budi\n");
    EXPECT_EQ(imported.json().at("added"), 1);
    EXPECT_EQ(imported.json().at("invalid"), 1);
    EXPECT_EQ(imported.json().at("duplicate"), 1);
    const auto skipped =
        json({"campaign", "recipients", "cmp_1", "--state", "skipped", "--reason", "invalid"});
    ASSERT_EQ(skipped.json().as_array().size(), 1U);
    EXPECT_EQ(skipped.json().at(0).at("original"), "x");
    EXPECT_THAT(run({"campaign", "recipients", "1"}).out, HasSubstr("nama=Ani"));
    EXPECT_THAT(run({"campaign", "report", "cmp_1"}).out,
                ::testing::StartsWith("row,number,original,state,reason,Nomor,nama,"));
    const auto lines =
        run({"campaign", "report", "cmp_1", "--format", "ndjson", "--state", "pending"});
    EXPECT_EQ(boost::json::parse(lines.out).at("number"), "6281234567890");
    EXPECT_EQ(json({"campaign", "clear", "cmp_1"}).json().at("counts").at("total"), 0);
}

TEST_F(CampaignCommandsTest, TheOptionsOfAnImportReachIt) {
    create();
    const auto imported =
        json({"campaign", "import", "cmp_1", file("list", "Ani|0123456789\nBudi|0123456788\n"),
              "--number-column", "2", "--country", "60", "--delimiter", "pipe", "--no-header"});
    EXPECT_EQ(imported.json().at("added"), 2);
    EXPECT_EQ(json({"campaign", "recipients", "1"}).json().at(0).at("number"), "60123456789");
    const auto both = run({"campaign", "import", "1", "x", "--header", "--no-header"});
    EXPECT_EQ(both.code, exit_usage);
    const auto missing = run({"campaign", "import", "1", folder.file("none.csv")});
    EXPECT_EQ(missing.code, exit_failed);
    EXPECT_THAT(missing.err, HasSubstr("none.csv: No such file"));
}

TEST_F(CampaignCommandsTest, ContactsWithATagBecomeRecipients) {
    create();
    json({"contact", "put", "6281234567890", "--account", "1", "--tag", "vip"});
    json({"contact", "put", "6281234567891", "--account", "1", "--tag", "baru"});
    EXPECT_EQ(json({"campaign", "import", "cmp_1", "--tag", "vip"}).json().at("added"), 1);
    EXPECT_EQ(run({"campaign", "import", "cmp_1"}).code, exit_usage);
    EXPECT_EQ(run({"campaign", "import", "cmp_1", "x", "--tag", "vip"}).code, exit_usage);
}

TEST_F(CampaignCommandsTest, ACheckFailsUntilTheCampaignIsReady) {
    create({.message = "Halo {{kota}}"});
    const auto bare = run({"campaign", "check", "cmp_1"});
    EXPECT_EQ(bare.code, exit_failed);
    EXPECT_THAT(bare.out, HasSubstr("no_recipients"));
    const auto refused = run({"campaign", "start", "cmp_1"});
    EXPECT_EQ(refused.code, exit_failed);
    EXPECT_THAT(refused.err, HasSubstr("(`merpati campaign check ID`)\nmerpati: "))
        << "each problem is a line";
    import("nomor,kota\n081234567890,Solo\n");
    const auto ready = run({"campaign", "check", "cmp_1"});
    EXPECT_EQ(ready.code, exit_done) << ready.out;
    EXPECT_THAT(ready.out, HasSubstr("merpati campaign start cmp_1"));
    EXPECT_EQ(json({"campaign", "check", "cmp_1"}).json().at("recipients"), 1);
}

TEST_F(CampaignCommandsTest, APreviewShowsTheTextWithItsLines) {
    create({.message = "Halo {{nama|Kak}}\nSampai jumpa"});
    import("nomor,nama\n081234567890,A\x1b[2Jni\n");
    EXPECT_THAT(run({"campaign", "preview", "cmp_1"}).out,
                ::testing::MatchesRegex("  Halo A.*ni\n  Sampai jumpa\n\n(.|\n)*"));
    EXPECT_THAT(run({"campaign", "preview", "cmp_1"}).out, Not(HasSubstr("\x1b")));
    EXPECT_EQ(json({"campaign", "preview", "1", "--value", "nama=Budi"}).text("text"),
              "Halo Budi\nSampai jumpa");
    EXPECT_THAT(run({"campaign", "preview", "1", "--row", "9"}).err, HasSubstr("has no row 9"));
    EXPECT_THAT(run({"campaign", "show", "1"}).out,
                HasSubstr("text\n  Halo {{nama|Kak}}\n  Sampai jumpa\n"));
}

TEST_F(CampaignCommandsTest, ActsOfAStoppedServerAreDoneInTheStore) {
    create();
    import("nomor,nama\n081234567890,\n081234567891,\n");
    EXPECT_EQ(json({"campaign", "start", "cmp_1"}).text("state"), "running");
    const auto watched = run({"campaign", "watch", "cmp_1"});
    EXPECT_EQ(watched.code, exit_failed);
    EXPECT_THAT(watched.err, HasSubstr("the server is stopped, so cmp_1 does not move"));
    EXPECT_EQ(json({"campaign", "pause", "cmp_1"}).text("reason"), "asked");
    EXPECT_EQ(run({"campaign", "watch", "cmp_1"}).code, exit_failed);
    EXPECT_EQ(json({"campaign", "resume", "cmp_1", "--per-minute", "3"}).text("state"), "running");
    EXPECT_EQ(json({"campaign", "cancel", "cmp_1"}).text("state"), "cancelled");
    const auto copy = json({"campaign", "clone", "cmp_1", "--recipients"});
    EXPECT_EQ(copy.json().at("counts").at("pending"), 2);
    EXPECT_EQ(json({"campaign", "start", "cmp_2", "--at", "2099-01-31T09:00"}).text("state"),
              "scheduled");
    EXPECT_THAT(run({"campaign", "test", "cmp_2", "--to", "6281234567890"}).err,
                HasSubstr("the server is stopped"));
    EXPECT_EQ(run({"campaign", "retry", "cmp_1"}).code, exit_usage);
}

TEST_F(CampaignCommandsTest, ADraftIsNotWatched) {
    create();
    const auto draft = run({"campaign", "watch", "cmp_1"});
    EXPECT_EQ(draft.code, exit_failed);
    EXPECT_THAT(draft.err, HasSubstr("`merpati campaign start cmp_1`"));
    EXPECT_THAT(run({"campaign", "watch", "cmp_9"}).err, HasSubstr("there is no campaign cmp_9"));
}

TEST_F(CampaignCommandsTest, ContactsAreKept) {
    const auto put =
        json({"contact", "put", "6281234567890", "--account", "1", "--name", "Ani", "--value",
              "kota=Solo", "--value", "umur=", "--tag", "vip", "--tag", "baru", "--consent-source",
              "Formulir", "--consent-at", "2026-01-31T09:00:00Z"});
    EXPECT_EQ(put.json().at("values").at("kota"), "Solo");
    EXPECT_EQ(put.json().at("tags").as_array().size(), 2U);
    EXPECT_EQ(put.json().at("consent").at("source"), "Formulir");
    EXPECT_THAT(run({"contact", "show", "6281234567890", "--account", "1"}).out,
                HasSubstr("Formulir at 2026-01-31T09:00:00.000Z"));
    json({"contact", "import", file("more.csv", "nomor,nama\n081234567891,Budi\n"), "--account",
          "1", "--tag", "baru"});
    EXPECT_EQ(json({"contact", "list", "--account", "1", "--tag", "baru"}).json().as_array().size(),
              2U);
    EXPECT_EQ(json({"contact", "list", "--account", "1", "--text", "bud"}).json().as_array().size(),
              1U);
    EXPECT_THAT(run({"contact", "export", "--account", "1", "--tag", "vip"}).out,
                HasSubstr("6281234567890,Ani,"));
    EXPECT_EQ(json({"contact", "remove", "6281234567891", "--account", "1", "--everywhere"})
                  .json()
                  .at("removed"),
              true);
    EXPECT_EQ(run({"contact", "show", "6281234567891", "--account", "1"}).code, exit_failed);
    EXPECT_EQ(run({"contact", "list"}).code, exit_usage);
    EXPECT_EQ(
        run({"contact", "put", "6281234567890", "--account", "1", "--consent-text", "x"}).code,
        exit_usage);
}

TEST_F(CampaignCommandsTest, NumbersAreSuppressed) {
    EXPECT_EQ(json({"suppression", "add", "6281234567890", "--account", "1", "--reason", "opt_out"})
                  .text("reason"),
              "opt_out");
    json({"suppression", "import", file("out.csv", "081234567891\n"), "--account", "1"});
    const auto listed = [this](const char* digits) {
        const auto found = json({"suppression", "list", "--account", "1", "--number", digits});
        return found.json().as_array().size();
    };
    EXPECT_EQ(json({"suppression", "list", "--account", "1"}).json().as_array().size(), 2U);
    EXPECT_EQ(listed("628123"), 2U);
    EXPECT_EQ(listed("6281234567891"), 1U);
    EXPECT_EQ(listed("63"), 0U);
    EXPECT_EQ(json({"suppression", "show", "6281234567891", "--account", "1"}).text("reason"),
              "import");
    create();
    EXPECT_EQ(import("nomor\n081234567890\n").json().at("suppressed"), 1);
    EXPECT_THAT(run({"suppression", "export", "--account", "1"}).out,
                HasSubstr("6281234567891,import,"));
    json({"suppression", "remove", "6281234567890", "--account", "1"});
    EXPECT_THAT(run({"suppression", "remove", "6281234567890", "--account", "1"}).err,
                HasSubstr("the number is not suppressed"));
}

TEST_F(CampaignCommandsTest, AnAccountSeesOnlyItsOwn) {
    json({"account", "create", "Lain"});
    create();
    json({"contact", "put", "6281234567890", "--account", "1"});
    EXPECT_EQ(json({"campaign", "list", "--account", "2"}).out, "[]\n");
    EXPECT_EQ(json({"contact", "list", "--account", "2"}).out, "[]\n");
    EXPECT_EQ(run({"contact", "show", "6281234567890", "--account", "2"}).code, exit_failed);
    const auto foreign = run({"campaign", "create", "acc_2", "--name", "x", "--device",
                              "6281100000001", "--message", "x"});
    EXPECT_EQ(foreign.code, exit_failed);
    EXPECT_THAT(foreign.err, HasSubstr("the account has no device 6281100000001"));
}

TEST_F(CampaignCommandsTest, HostileNamesReachNobodysTerminal) {
    const auto made = create({.name = "a\xe2\x80\xae"
                                      "b"});
    EXPECT_THAT(made.out, Not(HasSubstr("\xe2\x80\xae")));
    EXPECT_THAT(run({"campaign", "list"}).out, HasSubstr("a?b"));
    for (const std::string id : {"../accounts", "1/recipients", "1?x=1", "cmp_1\x1b[2J", "-1"}) {
        const auto done = run({"campaign", "show", id});
        EXPECT_NE(done.code, exit_done) << id;
        EXPECT_THAT(done.err, Not(HasSubstr("\x1b")));
    }
    const auto wrong = run({"campaign", "import", "1", "a\x1b[2J.csv"});
    EXPECT_THAT(wrong.err, HasSubstr("a?[2J.csv: No such file"));
}

TEST_F(CampaignCommandsTest, UsageIsCheckedBeforeAnythingIsDone) {
    const std::vector<std::string> good{"campaign", "create",   "acc_1",        "--name",
                                        "x",        "--device", "6281100000001"};
    for (const auto& wrong :
         std::vector<std::vector<std::string>>{{"--message", "a", "--message-file", "b"},
                                               {"--message", "a", "--variant-file", "b"},
                                               {"--message", "a", "--template", "b/id"},
                                               {"--message-file", "a", "--variant-file", "b"},
                                               {"--message-file", "a", "--template", "b/id"},
                                               {"--variant-file", "a", "--template", "b/id"},
                                               {"--media", "a", "--media-column", "b"},
                                               {"--quiet", "20"},
                                               {"--per-minute", "0"},
                                               {"--purpose", "other"},
                                               {"--template-value", "x"},
                                               {"--template-header", "x"},
                                               {"--template-button", "x"},
                                               {"--name", "y"},
                                               {"--exclude", "x"}}) {
        auto command = good;
        command.insert(command.end(), wrong.begin(), wrong.end());
        EXPECT_EQ(run(command).code, exit_usage) << wrong.front();
    }
    EXPECT_EQ(run({"campaign", "create", "acc_1", "--name", "x"}).code, exit_usage);
    EXPECT_EQ(json({"campaign", "list"}).out, "[]\n");
}

}  // namespace
}  // namespace merpati::cli::testing
