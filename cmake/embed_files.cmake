# embed_web_files(FOLDER FILES OUTPUT_FOLDER): writes asset_bytes.S, which embeds FILES (paths below
# FOLDER) by the assembler's .incbin, and assets.cpp, the table of these files (src/web/asset.hpp).
# X.gz and X.br are encodings of X, not separate files.
enable_language(ASM)

set(web_type_html "text/html; charset=utf-8")
set(web_type_js "text/javascript; charset=utf-8")
set(web_type_css "text/css; charset=utf-8")
set(web_type_svg "image/svg+xml")
set(web_type_png "image/png")
set(web_type_woff2 "font/woff2")
set(web_type_json "application/json")
set(web_type_webmanifest "application/manifest+json")
set(web_type_txt "text/plain; charset=utf-8")

# Appends FILE to the assembler's source, and sets NAME to the C++ expression for its bytes.
macro(web_embed_bytes file name)
  if(EXISTS ${folder}/${file})
    string(APPEND bytes "    .globl web_asset_${count}, web_asset_${count}_end\n"
      "web_asset_${count}:\n    .incbin \"${folder}/${file}\"\nweb_asset_${count}_end:\n")
    string(APPEND declarations "extern const char web_asset_${count}[];\n"
      "extern const char web_asset_${count}_end[];\n")
    set(${name} "{web_asset_${count}, web_asset_${count}_end}")
    list(APPEND embedded ${folder}/${file})
    math(EXPR count "${count} + 1")
  else()
    set(${name} "{}")
  endif()
endmacro()

function(embed_web_files folder files output)
  set(bytes "")
  set(declarations "")
  set(rows "")
  set(embedded "")
  set(count 0)
  # Without an index there is no app, even if other files exist.
  if(NOT "index.html" IN_LIST files)
    set(files "")
  endif()
  list(FILTER files EXCLUDE REGEX "\\.(gz|br)$")
  list(SORT files COMPARE STRING)
  foreach(file IN LISTS files)
    string(REGEX REPLACE "^.*\\." "" extension ${file})
    set(type "${web_type_${extension}}")
    if(NOT type)
      message(FATAL_ERROR "web/dist/${file}: files of this kind have no content type here")
    endif()
    file(SHA256 ${folder}/${file} hash)
    string(SUBSTRING ${hash} 0 32 hash)
    web_embed_bytes(${file} plain)
    web_embed_bytes(${file}.gz gzip)
    web_embed_bytes(${file}.br brotli)
    string(APPEND rows "        Asset{\"${file}\", \"${type}\", \"${hash}\",\n"
      "              ${plain}, ${gzip}, ${brotli}},\n")
  endforeach()

  file(CONFIGURE OUTPUT ${output}/asset_bytes.S @ONLY CONTENT
    "    .section .rodata\n${bytes}    .section .note.GNU-stack, \"\", %progbits\n")
  file(CONFIGURE OUTPUT ${output}/assets.cpp @ONLY CONTENT "#include <vector>

#include \"web/asset.hpp\"

extern \"C\" {
${declarations}}

namespace merpati::web {

std::span<const Asset> assets() {
    static const std::vector<Asset> table{
${rows}    };
    return table;
}

}  // namespace merpati::web
")
  set_source_files_properties(${output}/asset_bytes.S PROPERTIES OBJECT_DEPENDS "${embedded}")
endfunction()
