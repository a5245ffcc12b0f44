import { describe, expect, it } from 'vitest'
import { decidingCommands } from '../src/shell/deciding-commands.ts'

const PLAIN = { errexit: false, pipefail: false }
const CI = { errexit: true, pipefail: true }

describe('the commands that decide about the exit status', () => {
  it.each([
    ['t', PLAIN],
    ['b && t', PLAIN],
    ['b; t', PLAIN],
    ['t && echo ok', PLAIN],
    ['t || exit 1; echo ok', PLAIN],
    ['t || { echo failed >&2; exit 1; }; echo ok', PLAIN],
    ['(cd app && t)', PLAIN],
    ['(t; exit $?)', PLAIN],
    ['t || t', PLAIN],
    ['t; code=$?; clean; exit $code', PLAIN],
    ['t || code=$?\nclean\nexit "$code"', PLAIN],
    ['failed=0\nt || failed=1\nother || failed=1\nexit $failed', PLAIN],
    ['if ! t; then echo failed; exit 1; fi; echo ok', PLAIN],
    ['if t; then echo ok; else exit 1; fi; echo end', PLAIN],
    ['if [ -n "$CI" ]; then t; fi', PLAIN],
    ['for d in a b; do (cd $d && t) || exit 1; done; echo ok', PLAIN],
    ['run() { t; }\nrun', PLAIN],
    ['run() {\n  t || return 1\n  echo ok\n}\nrun', PLAIN],
    ['t 2>&1', PLAIN],
    ['time t', PLAIN],
    ['exec t', PLAIN],
    ['echo a | t', PLAIN],
    ['set -o pipefail; t | tee log', PLAIN],
    ['set -eu\nt\necho ok', PLAIN],
    ['t\necho ok', CI],
    ['t | tee log\necho ok', CI],
    ['cd app && t\necho ok', CI],
    ['if true; then t; fi\necho ok', CI],
    ['{ t; echo ok; }', CI],
    ['clean || true\nt', CI],
    ['set +e\nt\ncode=$?\nset -e\nreport\nexit $code', CI],
    ['case $A in x) t ;; esac\necho ok', CI],
    ['trap clean EXIT\nt', CI],
    ['if true; then t; fi', PLAIN],
    ['if false; then a; else t; fi; echo ok', CI],
    ['if ! false; then t; else a; fi', PLAIN],
    ['until false; do t; done', PLAIN],
    ['(set +e)\nt\necho ok', CI],
    ['set -- -n\nt', PLAIN],
    ['set +o pipefail | cat\nt | tee log', CI],
    ['set +e &\nt\necho ok', CI],
    ['if false; then set +e; fi\nt\necho ok', CI],
    ['f() { f; t; }; f', PLAIN],
  ])('include those of %j', (text, options) => {
    expect(decidingCommands(text, options)?.deciding.some(each => /^(exec )?t\b/.test(each))).toBe(true)
  })

  it.each([
    ['t || true', PLAIN],
    ['t || :', PLAIN],
    ['t || echo failed', PLAIN],
    ['t; true', PLAIN],
    ['t; echo done', PLAIN],
    ['t; exit 0', PLAIN],
    ['t && exit 0; exit 0', PLAIN],
    ['t | cat', PLAIN],
    ['t &', PLAIN],
    ['! t', PLAIN],
    ['(t || true)', PLAIN],
    ['{ t; } || true', PLAIN],
    ['if t; then echo ok; fi; true', PLAIN],
    ['if t; then echo ok; else echo failed; fi', PLAIN],
    ['if ! t; then echo failed; fi', PLAIN],
    ['while ! t; do break; done', PLAIN],
    ['run() { t; }; run || true', PLAIN],
    ['run() { t; return 0; }; run', PLAIN],
    ['t || exit 0', PLAIN],
    ['code=0; t; exit $code', PLAIN],
    ['t || true', CI],
    ['set +e\nt\necho done', CI],
    ['t && echo ok\necho done', CI],
    ['set +o pipefail\nt | tee log', CI],
    ['(t) || true\necho ok', CI],
    ["trap 'exit 0' EXIT\nt", CI],
    ['exit 0\nt', CI],
    ['true || t', CI],
    ['false && t; true', PLAIN],
    ['if false; then t; fi', CI],
    ['if ! true; then t; fi', CI],
    ['if true; then a; else t; fi', CI],
    ['if true; then a; elif b; then t; fi', CI],
    ['while false; do t; done', CI],
    ['until true; do t; done', CI],
    ['for a in; do t; done', CI],
    ['(set -e)\nt\necho ok', PLAIN],
    ['set -e | cat\nt\necho ok', PLAIN],
    ['set -e &\nt\necho ok', PLAIN],
    ['if false; then set -e; fi\nt\necho ok', PLAIN],
    ['if a; then set -e; fi\nt\necho ok', PLAIN],
    ['a && set -e\nt\necho ok', PLAIN],
    ['for a in $B; do set -e; done\nt\necho ok', PLAIN],
    ['set -n\nt', CI],
    ['set -o noexec\nt', CI],
  ])('do not include those of %j', (text, options) => {
    expect(decidingCommands(text, options)?.deciding.filter(each => /^t\b/.test(each))).toEqual([])
  })

  it('can run, unless the text ends before them or the other side of an operator is certain', () => {
    expect(decidingCommands('a || true; b', PLAIN)?.running).toEqual(['a', 'b'])
    expect(decidingCommands('true || a; false && b; exit 0; c', PLAIN)?.running).toEqual([])
  })

  it.each([
    ['a function that calls itself', `f() { ${'f;'.repeat(8)} t; }; f`],
    ['functions that call each other', `f() { ${'g;'.repeat(8)} t; }; g() { ${'f;'.repeat(8)} }; f`],
  ])('are read once in %s', (_, text) => {
    expect(decidingCommands(text, PLAIN)?.running.filter(each => each === 't').length).toBeLessThan(10)
  })

  it('are unknown if functions multiply them', () => {
    const chain = Array.from({ length: 14 }, (_, n) => `f${n}() { ${`f${n + 1};`.repeat(8)} }`)
    expect(decidingCommands(`${chain.join('\n')}\nf14() { t; }\nf0`, CI)).toBeUndefined()
  })

  it('are unknown in a text that is not valid shell', () => {
    expect(decidingCommands('if t; then', PLAIN)).toBeUndefined()
  })
})
