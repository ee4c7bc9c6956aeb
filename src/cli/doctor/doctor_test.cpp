#include <filesystem>
#include <fstream>

#include <sqlite3.h>

#include "cli/cli_fixture.hpp"
#include "cli/doctor/finding.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::cli::doctor {
namespace {

using cli::testing::HasSubstr;
using cli::testing::IsEmpty;
using cli::testing::Not;

struct DoctorTest : cli::testing::CliTest {
    DoctorTest() {
        // Free on every machine that runs tests at the same time.
        environment["MERPATI_HTTP__LISTEN"] = "127.0.0.1:0";
    }

    /// The finding that names this, as JSON.
    static std::string about(const cli::testing::Printed& done, std::string_view words) {
        for (const auto& finding : done.json().at("findings").as_array()) {
            if (std::string_view{finding.at("found").as_string().c_str()}.contains(words)) {
                return boost::json::serialize(finding);
            }
        }
        return {};
    }
};

TEST_F(DoctorTest, NothingIsWrongWithANewStore) {
    run({"account", "create", "Toko"});
    const auto done = run({"doctor"});
    EXPECT_EQ(done.code, exit_done) << done.out;
    EXPECT_THAT(done.out, HasSubstr("Nothing is wrong."));
    EXPECT_THAT(done.out, HasSubstr("0 messages wait"));
}

TEST_F(DoctorTest, LookingMakesNoStore) {
    const auto done = run({"doctor", "--json"});
    EXPECT_EQ(done.code, exit_done) << done.out;
    EXPECT_THAT(about(done, "is not there yet"), HasSubstr("note"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(DoctorTest, FilesThatOthersMayOpenAreWrong) {
    run({"account", "create", "Toko"});
    std::filesystem::permissions(folder.file("m.db.key"), std::filesystem::perms{0644});
    const auto done = run({"doctor", "--json"});
    EXPECT_EQ(done.code, exit_failed);
    EXPECT_THAT(about(done, "m.db.key"), HasSubstr("chmod 600"));
}

TEST_F(DoctorTest, ASettingsFileWithTwoSecretsIsNamedOnce) {
    const auto file = folder.file("m.toml");
    std::ofstream{file} << "[metrics]\ntoken = \"0123456789abcdef\"\n"
                           "[cloud]\nverify_token = \"0123456789abcdef\"\n";
    std::filesystem::permissions(file, std::filesystem::perms{0644});
    const auto done = run({"--config", file, "doctor"});
    EXPECT_EQ(done.code, exit_failed);
    const auto words = "others may open " + file;
    const auto first = done.out.find(words);
    ASSERT_NE(first, std::string::npos) << done.out;
    EXPECT_EQ(done.out.find(words, first + 1), std::string::npos) << done.out;
}

TEST_F(DoctorTest, AnAppSecretIsMissedOnlyWhereTheOfficialPlatformIsUsed) {
    EXPECT_THAT(run({"doctor"}).out, Not(HasSubstr("app")));
    environment["MERPATI_CLOUD__VERIFY_TOKEN"] = "token";
    EXPECT_THAT(about(run({"doctor", "--json"}), "no app secret"), HasSubstr("note"));
    environment["MERPATI_CLOUD__APP_SECRET_FILE"] = folder.file("secret");
    const auto unreadable = run({"doctor", "--json"});
    EXPECT_EQ(unreadable.code, exit_failed);
    EXPECT_THAT(about(unreadable, "no secret of the app can be read"), HasSubstr("WRONG"));
    std::ofstream{folder.file("secret")} << "s3cret\n";
    std::filesystem::permissions(folder.file("secret"), std::filesystem::perms{0600});
    const auto readable = run({"doctor", "--json"});
    EXPECT_EQ(readable.code, exit_done) << readable.out;
    EXPECT_THAT(readable.out, Not(HasSubstr("s3cret")));
    std::filesystem::permissions(folder.file("secret"), std::filesystem::perms{0644});
    EXPECT_THAT(about(run({"doctor", "--json"}), "others may open"), HasSubstr("secret"));
}

TEST_F(DoctorTest, ADeviceWhoseWebhooksCannotBeVerifiedIsWrong) {
    run({"account", "create", "Toko"});
    run({"device", "add", "acc_1", "6281100000001", "--connector", "cloud"});
    const auto done = run({"doctor", "--json"});
    EXPECT_EQ(done.code, exit_failed);
    EXPECT_THAT(about(done, "1 of 1 devices"), HasSubstr("cloud.app_secret_file"));
    std::ofstream{folder.file("secret")} << "s3cret";
    std::filesystem::permissions(folder.file("secret"), std::filesystem::perms{0600});
    environment["MERPATI_CLOUD__APP_SECRET_FILE"] = folder.file("secret");
    EXPECT_EQ(run({"doctor"}).code, exit_done);
}

TEST_F(DoctorTest, ADamagedPageIsWrongAndTheBackupMendsIt) {
    run({"account", "create", "Toko"});
    {
        std::fstream store{folder.file("m.db"), std::ios::in | std::ios::out | std::ios::binary};
        store.seekp(7 * 4'096);
        store << std::string(4'096, '\0');
    }
    for (const auto& words : {std::vector<std::string>{"doctor", "--json"},
                              std::vector<std::string>{"doctor", "--json", "--deep"}}) {
        const auto done = run(words);
        EXPECT_EQ(done.code, exit_failed) << done.out;
        EXPECT_THAT(about(done, "is damaged"), HasSubstr("restore the last backup")) << done.out;
    }
}

TEST_F(DoctorTest, ADamagedCheckOfTheKeyIsSaid) {
    run({"account", "create", "Toko"});
    sqlite3* store = nullptr;
    ASSERT_EQ(sqlite3_open(folder.file("m.db").c_str(), &store), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(store, "UPDATE meta SET value = x'00'", nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(store);
    const auto done = run({"doctor", "--json"});
    EXPECT_EQ(done.code, exit_failed);
    EXPECT_THAT(about(done, "the check of the key file"), HasSubstr("WRONG")) << done.out;
    EXPECT_EQ(run({"doctor", "--json"}).code, exit_done) << "it was written again";
}

TEST_F(DoctorTest, ALogThatNothingMovesIntoTheStoreIsNoted) {
    run({"account", "create", "Toko"});
    const auto size = [this] { return about(run({"doctor", "--json"}), "its log of commits has"); };
    EXPECT_THAT(size(), HasSubstr("good"));
    std::ofstream{folder.file("m.db-wal")}.flush();
    std::filesystem::resize_file(folder.file("m.db-wal"), std::uintmax_t{300} << 20);
    const auto large = size();
    EXPECT_THAT(large, HasSubstr("300 MiB"));
    EXPECT_THAT(large, HasSubstr("note"));
    EXPECT_THAT(large, HasSubstr("end what reads the store"));
}

TEST_F(DoctorTest, AMissingKeyFileIsNamed) {
    run({"account", "create", "Toko"});
    std::filesystem::remove(folder.file("m.db.key"));
    const auto done = run({"doctor", "--json"});
    EXPECT_EQ(done.code, exit_failed);
    EXPECT_THAT(about(done, "m.db.key"), HasSubstr("WRONG"));
}

TEST_F(DoctorTest, AFolderThatIsNotThereIsWrong) {
    environment["MERPATI_STORE__URL"] = "sqlite:" + folder.file("no/m.db");
    EXPECT_EQ(run({"doctor"}).code, exit_failed);
}

TEST_F(DoctorTest, AFileInTheWayOfTheMediaFolderIsWrong) {
    EXPECT_THAT(about(run({"doctor", "--json"}), "m.db-media"), HasSubstr("good"));
    std::ofstream{folder.file("m.db-media")} << "no folder";
    const auto done = run({"doctor", "--json"});
    EXPECT_EQ(done.code, exit_failed);
    EXPECT_THAT(about(done, "m.db-media"), HasSubstr("media.folder"));
}

TEST_F(DoctorTest, TooLittleSpaceForTheMediaThatMayBeKeptIsNoted) {
    environment["MERPATI_MEDIA__KEPT_BYTES_MAX"] = "17592186044416";
    const auto done = run({"doctor", "--json"});
    EXPECT_EQ(done.code, exit_done);
    EXPECT_THAT(about(done, "m.db-media"), HasSubstr("media.kept_bytes_max"));
}

TEST_F(DoctorTest, CertificatesThatCannotBeReadAreWrong) {
    std::ofstream{folder.file("bad.pem")} << "no certificate";
    environment["MERPATI_HTTP__TLS__CERTIFICATE"] = folder.file("bad.pem");
    environment["MERPATI_HTTP__TLS__KEY"] = folder.file("bad.pem");
    environment["MERPATI_OUTBOUND__CA_FILE"] = folder.file("bad.pem");
    const auto done = run({"doctor", "--json"});
    EXPECT_EQ(done.code, exit_failed);
    EXPECT_THAT(about(done, "holds no certificate"), HasSubstr("outbound.ca_file"));
}

TEST_F(DoctorTest, WhereTheStoreIsIsSaid) {
    EXPECT_THAT(about(run({"doctor", "--json"}), "the store is sqlite:" + folder.file("m.db")),
                HasSubstr("MERPATI_STORE__URL"));
}

TEST_F(DoctorTest, SettingsThatTakeProtectionAwayAreNamed) {
    EXPECT_THAT(about(run({"doctor", "--json"}), "outbound"), IsEmpty());
    environment["MERPATI_OUTBOUND__ALLOW"] = "10.20.0.0/16,::1";
    environment["MERPATI_OUTBOUND__ALLOW_HTTP_CALLBACKS"] = "true";
    environment["MERPATI_SIMULATOR__LOG"] = folder.file("s.jsonl");
    auto done = run({"doctor", "--json"});
    EXPECT_EQ(done.code, exit_done) << done.out;
    EXPECT_THAT(about(done, "10.20.0.0/16"), HasSubstr("note"));
    EXPECT_THAT(about(done, "::1"), HasSubstr("note"));
    EXPECT_THAT(about(done, "outbound.allow_http_callbacks"), HasSubstr("note"));
    EXPECT_THAT(about(done, "simulator.log"), HasSubstr("note"));
    EXPECT_THAT(about(done, "/metrics is open"), HasSubstr("good"));
    for (const auto* everything : {"0.0.0.0/0", "::/0", "0.0.0.0/1"}) {
        environment["MERPATI_OUTBOUND__ALLOW"] = everything;
        done = run({"doctor", "--json"});
        EXPECT_EQ(done.code, exit_failed) << everything;
        EXPECT_THAT(about(done, everything), HasSubstr("WRONG"));
    }
}

TEST_F(DoctorTest, AKeyOfTheCertificateThatOthersMayOpenIsWrong) {
    std::ofstream{folder.file("k.pem")} << "no key";
    std::filesystem::permissions(folder.file("k.pem"), std::filesystem::perms{0644});
    environment["MERPATI_HTTP__TLS__CERTIFICATE"] = folder.file("k.pem");
    environment["MERPATI_HTTP__TLS__KEY"] = folder.file("k.pem");
    EXPECT_THAT(about(run({"doctor", "--json"}), "others may open"), HasSubstr("chmod o="));
}

TEST_F(DoctorTest, AWrongSettingIsAFindingToo) {
    environment["MERPATI_HTTP__LISEN"] = "1";
    const auto done = run({"doctor", "--json"});
    EXPECT_EQ(done.code, exit_failed);
    EXPECT_THAT(about(done, "HTTP__LISEN"), HasSubstr("settings"));
}

TEST_F(DoctorTest, EachWrongSettingIsAFindingOfItsOwn) {
    environment["MERPATI_HTTP__LISEN"] = "1";
    environment["MERPATI_API__RATE"] = "abc";
    EXPECT_EQ(run({"doctor", "--json"}).json().at("findings").as_array().size(), 2U);
}

TEST_F(DoctorTest, AConnectorThatIsNotThereIsNamed) {
    environment["MERPATI_DEVICES__DEFAULT_CONNECTOR"] = "pigeon";
    const auto done = run({"doctor", "--json"});
    EXPECT_EQ(done.code, exit_failed);
    EXPECT_THAT(about(done, "devices.default_connector"), HasSubstr("'pigeon'"));
}

TEST(DoctorLooksTest, AClockThatIsFarOffIsWrong) {
    merpati::testing::ManualClock clock;
    Findings findings;
    check_clock(clock, findings);
    EXPECT_NE(findings.back().verdict, Verdict::wrong);
    clock.set_wall(from_unix_millis(0));
    check_clock(clock, findings);
    EXPECT_EQ(findings.back().verdict, Verdict::wrong);
}

TEST(DoctorLooksTest, PlainHttpBeyondTheMachineIsNamed) {
    const auto verdict_of = [](const char* address) {
        config::Loaded loaded;
        loaded.settings.http.listen = {address};
        Findings findings;
        check_protection(loaded, findings);
        for (const auto& finding : findings) {
            if (finding.found.contains("without TLS")) {
                return finding.verdict;
            }
        }
        return Verdict::good;
    };
    EXPECT_EQ(verdict_of("127.0.0.1:80"), Verdict::good);
    EXPECT_EQ(verdict_of("[::1]:80"), Verdict::good);
    EXPECT_EQ(verdict_of("0.0.0.0:80"), Verdict::note);
    EXPECT_EQ(verdict_of("[::]:80"), Verdict::note);
    EXPECT_EQ(verdict_of("10.0.0.1:80"), Verdict::note);
    EXPECT_EQ(verdict_of("8.8.8.8:80"), Verdict::wrong);
    EXPECT_EQ(verdict_of("[2606:4700::1]:80"), Verdict::wrong);
}

TEST(DoctorLooksTest, AnAddressThatIsNotThisMachinesIsWrong) {
    Findings findings;
    config::Settings settings;
    settings.http.listen = {"192.0.2.1:8080"};  // TEST-NET-1: nobody has it.
    check_addresses(settings, findings);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings.front().verdict, Verdict::wrong);
    EXPECT_THAT(findings.front().remedy, Not(IsEmpty()));
}

TEST(DoctorLooksTest, TooFewDescriptorsForTheConnectionsAreNoted) {
    Findings findings;
    config::Settings settings;
    settings.http.connections_max = 4'000'000'000;
    check_descriptors(settings, findings);
    EXPECT_EQ(findings.front().verdict, Verdict::note);
    EXPECT_THAT(findings.front().remedy, HasSubstr("LimitNOFILE"));
}

}  // namespace
}  // namespace merpati::cli::doctor
