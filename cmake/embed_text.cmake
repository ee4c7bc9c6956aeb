# cmake -DINPUT=… -DOUTPUT=… -DFUNCTION=merpati::api::openapi_yaml -P embed_text.cmake
#
# Writes a source file that returns the text of INPUT, as adjacent raw strings of 8 KiB, because the
# standard does not guarantee longer literals. Its length is that of the array: to count the
# characters takes more steps than a compiler allows.
file(READ "${INPUT}" text)
string(LENGTH "${text}" length)
set(pieces "")
set(from 0)
while(from LESS length)
  string(SUBSTRING "${text}" ${from} 8192 piece)
  string(APPEND pieces "R\"embedded(${piece})embedded\"\n")
  math(EXPR from "${from} + 8192")
endwhile()
string(REGEX REPLACE "::[^:]*$" "" namespace "${FUNCTION}")
string(REGEX REPLACE "^.*::" "" name "${FUNCTION}")
file(WRITE "${OUTPUT}" "#include <string_view>\n\nnamespace ${namespace} {\n\n"
  "[[nodiscard]] std::string_view ${name}() noexcept;\n\n"
  "std::string_view ${name}() noexcept {\n"
  "    static constexpr char text[] =\n${pieces};\n"
  "    return {text, sizeof text - 1};\n}\n\n}  // namespace ${namespace}\n")
