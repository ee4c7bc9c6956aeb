# The web app: Vite builds it into web/dist, which the gateway's build embeds.

# Builds web/dist if a source is newer.
need_web() {
  local made=web/dist/index.html
  [ -z "$(find web/src web/plugins web/index.html web/vite.config.ts web/package-lock.json \
    -newer $made -print -quit 2>/dev/null || echo none)" ] && return
  need_node
  need_node_modules web --omit=dev
  say "building the web app"
  quietly web "building the web app (vite)" npm --prefix web run build
}

# web_tests [NAME…]: a NAME is a part of a file's name. tests/ has the tests in a browser.
web_tests() {
  say "tests of web/"
  need_web
  need_node_modules web
  (
    cd web || exit
    npm run --silent check || exit
    npx vitest run --passWithNoTests --reporter=default \
      --reporter=json --outputFile.json="$OLDPWD/build/test-results/web.json" "$@"
  )
}
