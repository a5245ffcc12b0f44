import { isKnownName } from './value-forms.ts'

/** A secret in a line, by its place. */
export interface PlacedSecret {
  value: string
  at: number
  what: string
}

/**
 * Secrets on a command line of any program, found by what the command's other words say: a command that names a user in one option
 * takes that user's secret in another; a word that is the name of a secret comes before its value; what is piped into a program that
 * asks for a secret is the secret. Every repetition is bounded, as in secrets.ts; the caller bounds the length of a line.
 */
export function findCommandSecrets(line: string): PlacedSecret[] {
  if (!MAY_HOLD.test(line)) return []
  const found: PlacedSecret[] = []
  const commands = splitCommands(line)
  for (const [i, { words, operator }] of commands.entries()) {
    const next = commands[i + 1]
    found.push(...inOptions(words), ...behindNames(words))
    if (operator === '|' && next) found.push(...pipedInto(words, next.words))
    if (operator === '<<<' && next) found.push(...givenTo(words, next.words[0]))
  }
  return found
}

const MAY_HOLD =
  /\s-{1,2}[A-Za-z]|\s\/[a-z]{1,12}:|<<<|(?:echo|printf)\s[^|]{1,2000}\||\spass|_(?:key|token|secret|pass)/i

interface Word {
  /** Without the quotes around it. */
  text: string
  at: number
  isQuoted: boolean
}

// A placeholder is one word, so that no part of it counts as a value.
const PART =
  /<<<|\|\||&&|[|;&]|(?:\[redacted(?:: [^\]\n]{0,200})?\]|"[^"\n]{0,2000}"|'[^'\n]{0,2000}'|[^\s"'|;&<>()]){1,2000}/g

function splitCommands(line: string): { words: Word[]; operator: string }[] {
  const commands: { words: Word[]; operator: string }[] = [{ words: [], operator: '' }]
  for (const { 0: part, index } of line.matchAll(PART)) {
    const last = commands.at(-1)
    if (/^(?:<<<|[|;&]{1,2})$/.test(part)) {
      if (last) last.operator = part
      commands.push({ words: [], operator: '' })
    } else if (/^(["'])[^"']*\1$/.test(part))
      last?.words.push({ text: part.slice(1, -1), at: index + 1, isQuoted: true })
    else last?.words.push({ text: part, at: index, isQuoted: false })
  }
  return commands
}

const USER = /^(?:-[uUD]|--(?:user|user-?name|login|login-?name|account|binddn))$/
const USER_INLINE =
  /^(?:-[uU]=?[A-Za-z][\w.@\\-]+|--(?:user|user-?name|login|account|binddn)=.+|\/[uU](?:ser)?:.+)$/
/** Short options that take a secret in one program or another. */
const SECRET_OPTION = /^(?:-[pPwWAX]|-pw)$/
/** Programs in which the option for the user stands next to options of other kinds, or means something else. */
const OTHER_OPTIONS =
  /^(?:\S{0,60}\/)?(?:docker(?:-compose)?|podman(?:-compose)?|nerdctl|kubectl|oc|mvnw?|gradlew?|cmake|make|ninja|gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|ld|sudo|doas|su|runuser|ssh|scp|rsync|git|gh|curl|wget|python[\d.]*|node|npm|npx|pnpm|yarn|pip[\d.]*|go|cargo|pytest|ps|pgrep|pkill|lsof|id|crontab|systemctl|journalctl|sort|diff|tar|unzip|zip|install|chown|useradd|usermod|psql|createdb|createuser|pg_\w+)$/
const SLASH_OPTION = /^\/(?:p|pw|pass|password|pwd):(?=.)/i

/** `-u NAME -p VALUE`, `/u:NAME /p:VALUE`, `-u NAME,VALUE`: a user and the user's secret. */
function inOptions(words: readonly Word[]): PlacedSecret[] {
  const program = programOf(words)
  if (!program || OTHER_OPTIONS.test(program.text)) return []
  const from = words.findIndex(
    ({ text }, i) => USER_INLINE.test(text) || (USER.test(text) && isUser(text, words[i + 1]?.text ?? '')),
  )
  if (from < 0) return []
  return words.flatMap((word, i) => {
    if (i < from) return []
    const value = words[i + 1]
    if (SECRET_OPTION.test(word.text) && value) return placed(value, 0)
    if (USER.test(word.text) && value) return placed(value, userEnd(value.text))
    const lead = SLASH_OPTION.exec(word.text)?.[0].length
    return lead ? placed(word, lead) : []
  })
}

/** `-D` names a user only with a distinguished name; a file or a variable is not a user. */
const isUser = (option: string, value: string): boolean =>
  option === '-D'
    ? /^(?:cn|uid|ou|dc|o)=/i.test(value)
    : /^[^-$\d[]/.test(value) && !/\.[a-z]{1,4}\d?$/.test(value.replace(/[:,%].*$/, ''))

/** The word that says which program runs, without variables and a plain `sudo` before it. */
const programOf = (words: readonly Word[]): Word | undefined =>
  words.find(
    ({ text }, i) =>
      !/^(?:\$|[A-Za-z_]\w{0,60}=.*)$/.test(text) &&
      !(text === 'sudo' && /^[^-]/.test(words[i + 1]?.text ?? '')),
  )

/** Where the secret begins in `NAME:VALUE`, `NAME,VALUE`, `NAME%VALUE`. */
const userEnd = (text: string): number =>
  /^[A-Za-z][\w.\\-]{0,60}(?:[,%]|:(?!\/))/.exec(text)?.[0].length ?? text.length

const SECRET_WORD =
  /^(?:[a-z\d]{1,20}[_.-]){0,4}(?:password|passwd|passphrase|psk|access[_-]key|api[_-]?key|(?:auth|access|api)[_-]token|(?:client|shared|api)[_-]secret)$/i
/** Programs whose words are patterns and names, not settings. */
const SEARCHES =
  /^(?:\S{0,60}\/)?(?:e?grep|rg|ag|ack|find|fd|sed|awk|git|man|ls|cat|less|head|tail|rm|mv|cp|touch|mkdir)$/

/** `… password VALUE`: the name of a secret as a word of its own. */
function behindNames(words: readonly Word[]): PlacedSecret[] {
  const first = programOf(words)
  if (!first || SEARCHES.test(first.text)) return []
  return words.flatMap((word, i) => {
    const value = words[i + 1]
    if (word === first || !value || word.isQuoted || !SECRET_WORD.test(word.text)) return []
    if (
      /^(?:get|show|list|reset|change|delete|rm|generate|create|edit|copy|the|a|no)$/i.test(
        words[i - 1]?.text ?? '',
      )
    )
      return []
    return placed(value, 0, /\/.*[+]|[+].*\//.test(value.text), word.text)
  })
}

const PRINTS = /^(?:\S{0,60}\/)?(?:echo|printf)$/
const ASKS_FOR_SECRET =
  /^(?:-S|--?[\w-]*(?:stdin|with-token|passphrase-fd)|(?:\S{0,60}\/)?(?:(?:ch)?passwd|cryptsetup|chpasswd|secret-tool|kinit|gpg2?|openssl|vault|login|su))$/

function pipedInto(printed: readonly Word[], reader: readonly Word[]): PlacedSecret[] {
  const [first, ...rest] = printed
  return first && PRINTS.test(first.text) ? givenTo(reader, rest.at(-1)) : []
}

function givenTo(reader: readonly Word[], value: Word | undefined): PlacedSecret[] {
  if (!value || PLACEHOLDER.test(value.text) || !reader.some(({ text }) => ASKS_FOR_SECRET.test(text)))
    return []
  return placed(value, /^[A-Za-z][\w.-]{0,60}:/.exec(value.text)?.[0].length ?? 0)
}

const PLACEHOLDER = /\[redacted/

/** What a placeholder calls a secret with this name. */
export const labelOf = (name: string): string =>
  (/token|secret|key|pin/i.exec(name)?.[0] ?? 'password').toLowerCase()

function placed({ text, at }: Word, from: number, isCertain = false, name = ''): PlacedSecret[] {
  const value = text.slice(from).replace(/(?:\\[nr]){1,9}$/, '')
  return (isCertain && !PLACEHOLDER.test(value)) || isSecretArgument(value)
    ? [{ value, at: at + from, what: labelOf(name) }]
    : []
}

/** Not an option, a variable, a number, a path, a name, nor one plain word, which may be a subcommand. */
const isSecretArgument = (value: string): boolean =>
  value.length >= 4 &&
  value.length <= 200 &&
  !/^[-$<{[(%/~*]|[$`]\(|\s/.test(value) &&
  !/^(?:[a-z]+|[A-Z]+|\d+)$/.test(value) &&
  !isKnownName(value)
