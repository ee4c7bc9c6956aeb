// yaml_to_json INPUT OUTPUT: converts a single YAML document to JSON, for the build. Reads plain
// scalars by YAML 1.2's core schema, as other readers of the API description do.
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <regex>
#include <string>
#include <yaml-cpp/yaml.h>

namespace {

void append_text(std::string& out, const std::string& text) {
    static constexpr char digits[] = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20) {
            out.append("\\u00").append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
        } else {
            out += c;
        }
    }
    out += '"';
}

void append_scalar(std::string& out, const YAML::Node& node) {
    static const std::regex plain{R"(true|false|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?)"};
    const auto& text = node.Scalar();
    const bool is_plain = node.Tag() == "?";
    if (is_plain && (text == "null" || text == "~" || text.empty())) {
        out += "null";
    } else if (is_plain && std::regex_match(text, plain)) {
        out += text;
    } else {
        append_text(out, text);
    }
}

void append(std::string& out, const YAML::Node& node) {
    char before = '\0';
    switch (node.Type()) {
        case YAML::NodeType::Undefined:
        case YAML::NodeType::Null:
            out += "null";
            break;
        case YAML::NodeType::Scalar:
            append_scalar(out, node);
            break;
        case YAML::NodeType::Sequence:
            out += '[';
            for (const auto& item : node) {
                if (before != '\0') {
                    out += before;
                }
                append(out, item);
                before = ',';
            }
            out += ']';
            break;
        case YAML::NodeType::Map:
            out += '{';
            for (const auto& entry : node) {
                if (before != '\0') {
                    out += before;
                }
                append_text(out, entry.first.Scalar());
                out += ':';
                append(out, entry.second);
                before = ',';
            }
            out += '}';
            break;
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::cerr << "usage: yaml_to_json INPUT OUTPUT\n";
        return 2;
    }
    try {
        std::string text;
        append(text, YAML::LoadFile(arguments[1]));
        std::ofstream file{arguments[2], std::ios::binary};
        file << text << '\n';
        return file.flush() ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception& problem) {
        std::cerr << arguments[1] << ": " << problem.what() << '\n';
        return EXIT_FAILURE;
    }
}
