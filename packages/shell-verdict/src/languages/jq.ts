import { findHazard, NotUnderstood } from './not-understood.ts'

/** Functions and keywords that read nothing but the input and change nothing. */
const HARMLESS = new Set(
  `and or not if then elif else end as def reduce foreach try catch label break __loc__ null true false empty error
  length utf8bytelength keys keys_unsorted has in map map_values path paths leaf_paths del getpath setpath delpaths
  to_entries from_entries with_entries select recurse recurse_down transpose add any all flatten range floor sqrt pow
  log log2 log10 exp exp2 exp10 abs ceil round trunc fabs significand logb gamma lgamma tgamma frexp ldexp modf nan
  infinite isinfinite isnan isvalid isnormal tostring tonumber type numbers strings booleans nulls arrays objects
  iterables scalars values sort sort_by group_by min max min_by max_by unique unique_by reverse contains inside
  startswith endswith ltrimstr rtrimstr trimstr trim ltrim rtrim combinations walk ascii_downcase ascii_upcase explode
  implode split join ascii splits sub gsub test match capture scan indices index rindex first last nth until repeat
  while limit skip isempty input inputs debug stderr input_line_number truncate_stream fromstream tostream tojson
  fromjson todate fromdate now localtime gmtime mktime strftime strflocaltime strptime dateadd datesub date
  fromdateiso8601 todateiso8601 dateiso8601 halt halt_error pick have_literal_numbers have_decnum toarray finites
  normals input_filename builtins bsearch sin cos tan asin acos atan sinh cosh tanh cbrt text json csv tsv html uri sh
  base64 base64d base32 base32d urid IN INDEX GROUP_BY UNIQUE_BY`.split(/\s+/),
)

const OPERATORS = /^(?:\?\/\/=?|\/\/=|\|=|\+=|-=|\*=|\/=|%=|==|!=|<=|>=|\/\/|\.\.|[-+*/%=<>|,:;?()[\]{}.])/
const MAX_DEPTH = 50

/** Why a jq program does more than transform its input, or undefined when every token was understood. */
export function findJqHazard(program: string): string | undefined {
  const hazard = findHazard(() => {
    const defined = new Set([...program.matchAll(/\bdef\s+(\w+)/g)].map(([, name]) => name ?? ''))
    // A function's parameters are called like functions.
    for (const [, list] of program.matchAll(/\bdef\s+\w+\s*\(([^)]*)\)/g))
      for (const name of (list ?? '').split(';')) defined.add(name.trim())
    const end = readTokens(program, 0, defined, 0)
    if (end < program.length) throw new NotUnderstood('has a parenthesis too many')
  })
  return hazard && `the jq program ${hazard}`
}

/** Reads until the closing parenthesis of an interpolation, or to the end. */
function readTokens(program: string, from: number, defined: ReadonlySet<string>, depth: number): number {
  if (depth > MAX_DEPTH) throw new NotUnderstood('is nested too deep')
  let open = 0
  let at = from
  while (at < program.length) {
    const rest = program.slice(at, at + 200)
    const plain =
      /^(?:\s+|#[^\n\\]*(?:\n|$)|\.[A-Za-z_]\w*|\$[A-Za-z_]\w*|@[a-z0-9]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)/.exec(
        rest,
      )?.[0]
    if (plain) {
      if (plain === '$ENV') throw new NotUnderstood('reads the environment')
      at += plain.length
    } else if (rest.startsWith('"')) at = readString(program, at, defined, depth)
    else if (/^[A-Za-z_]/.test(rest)) {
      const name = /^\w+/.exec(rest)?.[0] ?? ''
      // `{name: …}` is a key.
      const key = /^\s*:/.test(program.slice(at + name.length, at + name.length + 20)) && !/^:/.test(rest)
      if (!HARMLESS.has(name) && !defined.has(name) && !key)
        throw new NotUnderstood(`uses ${name}, which is not known to be harmless`)
      if (program.startsWith('::', at + name.length)) throw new NotUnderstood('uses a module')
      at += name.length
    } else {
      const operator = OPERATORS.exec(rest)?.[0]
      if (!operator) throw new NotUnderstood(`has ${JSON.stringify(rest.charAt(0))}`)
      if (operator === '(') open++
      if (operator === ')' && --open < 0) return at
      at += operator.length
    }
  }
  return at
}

function readString(program: string, from: number, defined: ReadonlySet<string>, depth: number): number {
  for (let at = from + 1; at < program.length; at++) {
    const char = program.charAt(at)
    if (char === '"') return at + 1
    if (char !== '\\') continue
    at++
    if (program.charAt(at) === '(') {
      at = readTokens(program, at + 1, defined, depth + 1)
      if (program.charAt(at) !== ')') break
    }
  }
  throw new NotUnderstood('has a text that is not closed')
}
