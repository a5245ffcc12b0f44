import fc from 'fast-check'

/** Names of the recording programs; nothing else is on PATH but the wrappers. */
export const STUBS = ['aa', 'bb', 'cc', 'dd', 'ee'] as const

const stub = fc.constantFrom(...STUBS)
const plain = fc.constantFrom('x', 'y1', 'foo', '-n', '--flag', 'a.b', '=', 'k=v', '~', '+', '..')
/** Names that are harmless to hand to a program: with others the analysis would know nothing. */
const variable = fc.constantFrom('PORT', 'CI', 'HOST')

interface Shell {
  script: string
}

/** Bash texts that use every way known to us of starting a program. */
export const { script: shellText } = fc.letrec<Shell & Record<string, string>>(tie => {
  const script = tie('script') as fc.Arbitrary<string>
  const command = tie('command') as fc.Arbitrary<string>
  const word = tie('word') as fc.Arbitrary<string>
  const inner = tie('inner') as fc.Arbitrary<string>

  const oddName = stub.chain(name =>
    fc.constantFrom(
      name,
      name,
      name,
      `"${name}"`,
      `'${name}'`,
      `\\${name}`,
      `${name[0]}"${name.slice(1)}"`,
      `${name[0]}\\\n${name.slice(1)}`,
      `$'${name}'`,
      `$'\\x${name.charCodeAt(0).toString(16)}'${name.slice(1)}`,
      `$"${name}"`,
      `{${name},x}`,
      `${name[0]}''${name.slice(1)}`,
    ),
  )
  const name = fc.oneof(
    { weight: 12, arbitrary: oddName },
    { weight: 1, arbitrary: variable.map(v => `$${v}`) },
    { weight: 1, arbitrary: inner.map(s => `$(${s})`) },
    { weight: 1, arbitrary: fc.constant('a?') },
    { weight: 1, arbitrary: fc.constant('"$@"') },
  )
  const words = fc.array(word, { maxLength: 3 }).map(list => list.map(text => ` ${text}`).join(''))
  const assignment = fc
    .tuple(variable, fc.oneof(word, fc.constant(''), fc.constant("'a[$(dd)]'")))
    .map(([v, text]) => `${v}=${text}`)
  const redirect = fc.constantFrom(
    '',
    '',
    '',
    ' >out',
    ' 2>&1',
    ' <in',
    ' &>out',
    ' >>out',
    ' <<<w',
    ' {fd}>out',
    ' 3>&-',
  )
  const simple = fc
    .tuple(fc.option(assignment, { nil: '' }), name, words, redirect)
    .map(([a, n, w, r]) => `${a === '' ? '' : `${a} `}${n}${w}${r}`)
  const heredoc = fc
    .tuple(stub, word, fc.boolean())
    .map(([n, w, quoted]) => `${n} <<${quoted ? "'E'" : 'E'}\n${w.replaceAll('\n', '')} text\nE\n`)
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const wrapper = fc.oneof(
    fc
      .tuple(
        fc.constantFrom(
          'env',
          'env -i PATH="$PATH" CI=v',
          'env -u CI',
          'nohup',
          'timeout 5',
          'timeout -s KILL 5',
          'nice',
          'nice -n 5',
          'nice -5',
          'command',
          'exec',
          'builtin command',
          'setsid -w',
          'stdbuf -oL',
          'time',
          'time -p',
          '!',
          'env -- env',
          'xargs',
          'xargs -n 1',
          'xargs -r',
          'coproc',
          'command -p --',
          'exec -a zz',
        ),
        oddName,
        words,
      )
      .map(([w, n, rest]) => `${w} ${n}${rest}`),
    inner.map(s => `bash -c ${quote(s)}`),
    inner.map(
      s =>
        `sh -ec ${quote(s.includes('[[') || s.includes('((') || s.includes('<(') || s.includes('$"') || s.includes("$'") || s.includes('{') || s.includes('<<<') || s.includes('&>') || s.includes('coproc') || s.includes('time') || s.includes('function') || s.includes('select') || s.includes('|&') ? 'aa' : s)}`,
    ),
    inner.map(s => `eval ${quote(s)}`),
    fc.tuple(oddName, words).map(([n, w]) => `eval ${n}${w}`),
    fc
      .tuple(fc.constantFrom('-exec', '-execdir'), stub, fc.constantFrom('\\;', '+'))
      .map(([how, n, end]) => `find . -maxdepth 0 ${how} ${n} {} ${end}`),
    inner.map(s => `trap ${quote(s)} EXIT`),
    fc.tuple(stub, stub).map(([a, b]) => `printf '%s\\n' x | xargs -I{} ${a} {} ${b}`),
    inner.map(s => `env -S ${quote(`bash -c ${quote(s.replaceAll('\\', ''))}`).replaceAll('$', '\\$')}`),
    fc.constantFrom(
      'source in',
      '. ./in',
      'bash <in',
      'cat in | bash',
      'bash',
      'alias x=aa',
      'hash -p bb aa',
      "let 'PORT=a[$(cc)]'",
      "test -v 'a[$(cc)]'",
      'printf -v PATH x',
      'read PORT <in',
    ),
  )
  const list = (sep: string) => fc.tuple(command, command).map(([a, b]) => `${a}${sep}${b}`)
  const compound = fc.oneof(
    list(' && '),
    list(' || '),
    list('; '),
    list(' | '),
    list(' |& '),
    list('\n'),
    list(' & '),
    script.map(s => `( ${s}\n)`),
    script.map(s => `{ ${s}\n}`),
    script.map(s => `{ ${s}\n} >out`),
    fc.tuple(script, script, script).map(([a, b, c]) => `if ${a}\nthen ${b}\nelse ${c}\nfi`),
    fc.tuple(variable, words, script).map(([v, w, s]) => `for ${v} in${w}; do ${s}\ndone`),
    fc.tuple(script).map(([s]) => `while ${s}\nfalse; do :; done`),
    fc.tuple(word, script, script).map(([w, a, b]) => `case ${w} in x) ${a}\n;; *) ${b}\n;; esac`),
    fc
      .tuple(fc.constantFrom('f', 'g', 'aa', 'env'), script, fc.boolean())
      .map(([f, s, call]) => `${f}() { ${s}\n}${call ? `\n${f} q` : ''}`),
    fc.tuple(script).map(([s]) => `function h { ${s}\n}\nh`),
    word.map(w => `[[ -n ${w} && x == y ]]`),
    word.map(w => `[[ ${w} -eq 0 ]]`),
    fc.tuple(variable, inner).map(([v, s]) => `(( ${v} + $(${s}) ))`),
    variable.map(v => `(( ${v}++ ))`),
    inner.map(s => `(( a[$(${s})] ))`),
    fc.tuple(inner, script).map(([s, b]) => `for (( i=0; i<1$(${s}); i++ )); do ${b}\nbreak; done`),
    fc.tuple(variable, word).map(([v, w]) => `declare ${v}=${w}`),
    fc.tuple(variable, word).map(([v, w]) => `export ${v}=${w}`),
    assignment,
    fc.tuple(variable, word, inner).map(([v, w, s]) => `${v}=(${w} $(${s}))`),
    inner.map(s => `a[$(${s})]=1`),
    heredoc,
  )
  return {
    script: fc.oneof({ maxDepth: 4, depthIdentifier: 'shell' }, command, list('; '), list('\n')),
    command: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'shell' },
      { weight: 4, arbitrary: simple },
      { weight: 2, arbitrary: wrapper },
      { weight: 4, arbitrary: compound },
    ),
    inner: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'shell' },
      {
        weight: 4,
        arbitrary: fc.tuple(stub, fc.constantFrom('', ' x', ' bb', ' "y z"')).map(([n, a]) => `${n}${a}`),
      },
      { weight: 1, arbitrary: simple },
      { weight: 1, arbitrary: list('; ') },
    ),
    word: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'shell' },
      { weight: 4, arbitrary: plain },
      { weight: 1, arbitrary: stub },
      { weight: 1, arbitrary: variable.map(v => `$${v}`) },
      { weight: 1, arbitrary: variable.map(v => `"p$${v}"`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          "'a b'",
          '"c d"',
          "$'e\\tf'",
          '{p,q}',
          '{1..3}',
          'i*',
          '\\;',
          '"\\$x"',
          "'$(ee)'",
          '$((1+2))',
          '${#PORT}',
          '$?',
          '"$*"',
        ),
      },
      { weight: 1, arbitrary: inner.map(s => `$(${s})`) },
      { weight: 1, arbitrary: inner.map(s => `"$(${s})"`) },
      { weight: 1, arbitrary: inner.map(s => `\`${s.replaceAll('\\', '').replaceAll('`', '')}\``) },
      { weight: 1, arbitrary: inner.map(s => `<(${s})`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(variable, inner, fc.constantFrom(':-', ':+', '-', ':=', '//x/', '#', '%'))
          .map(([v, s, op]) => `\${${v}${op}$(${s})}`),
      },
      { weight: 1, arbitrary: inner.map(s => `$((1+$(${s})))`) },
      { weight: 1, arbitrary: fc.tuple(variable, inner).map(([v, s]) => `\${${v}:$(${s})}`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(variable, fc.constantFrom('@P', '@Q', '^^', '!'))
          .map(([v, op]) => (op === '!' ? `\${!${v}}` : `\${${v}${op}}`)),
      },
      { weight: 1, arbitrary: inner.map(s => `{a,$(${s})}`) },
    ),
  } as { [key: string]: fc.Arbitrary<string> } as never
})
