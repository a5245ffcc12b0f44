/** What of a prompt is the user's own instruction, and what the user only pasted. */
export interface UserWords {
  /** Empty if the prompt asks for nothing: a greeting, "continue", a slash command. */
  text: string
  /** Logs, quotes and longer blocks of code: data, not instructions. */
  pasted: string[]
}

const MAX_LENGTH = 8000

export function readUserWords(prompt: string): UserWords {
  const { text, pasted } = withoutPasted(prompt.slice(0, MAX_LENGTH))
  const words = slashCommand(text)
  return { text: isSmallTalk(words) ? '' : words, pasted }
}

/** Each alternative is a whole phrase; a prompt of nothing but these asks for nothing new. */
const SMALL_TALK = new RegExp(
  `^(?:(?:${[
    'hi|hello|hey|hallo|moin|servus|good (?:morning|evening)|guten (?:morgen|tag|abend)',
    'ok|okay|k|yes|yep|yeah|no|nope|ja|nein|sure|right|fine|great|nice|good|perfect|super|gut|prima|genau|passt',
    'thanks?|thank you|thx|danke(?: dir| schön)?|please|bitte',
    'continue|go on|go ahead|proceed|carry on|keep going|do it|next|resume|weiter|mach weiter|weitermachen|los',
    'are you (?:still )?there|still there|bist du (?:noch )?da|ping|test|you there',
    'sounds good|looks good|lgtm|that works|well done|how is it going|wie weit bist du',
  ].join('|')})[\\s.,!?…:)-]*)+$`,
  'iu',
)

export const isSmallTalk = (text: string): boolean =>
  text.trim() === '' || (text.length <= 80 && SMALL_TALK.test(text.trim()))

/** Commands of the agents themselves: they steer the program, not the work. */
const BUILT_IN =
  /^\/(?:add-dir|agents|bashes|bug|clear|compact|config|context|cost|doctor|exit|export|fast|help|hooks|ide|init|login|logout|mcp|memory|model|new|permissions|plan|plugin|pr-comments|quit|release-notes|rename|resume|review|rewind|sandbox|security-review|status|statusline|stats|tasks|terminal-setup|think|todos|undo|usage|vim|approvals|diff|mention|fork|tree|session|settings|copy|share|reload)(?:\s|$)/i

/** Whether the text is a command of the agent itself, such as /clear. */
export const isBuiltInCommand = (text: string): boolean => BUILT_IN.test(text)

/** The words after a command that the user or a plugin defined; nothing of a built-in command or of a short one. */
function slashCommand(text: string): string {
  const [whole, rest] = /^\/[A-Za-z][\w.:-]{0,80}(?:\s+([\s\S]*))?$/.exec(text) ?? []
  if (whole === undefined) return text
  const words = rest?.trim() ?? ''
  return isBuiltInCommand(text) || words.split(/\s+/).length < MIN_COMMAND_WORDS ? '' : words
}
const MIN_COMMAND_WORDS = 4

const SPEAKER = 'User|Human|Assistant|System|AI|Agent|Benutzer|Nutzer|Utilisateur|Usuario|ユーザー|用户'
/** A line of a log, of a chat or of a stack trace: a time, a level, or the name of who speaks comes first. */
const LOG_LINE = new RegExp(
  [
    '\\[?\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d',
    '\\[?\\d\\d:\\d\\d:\\d\\d',
    '[[(]\\d\\d?:\\d\\d(?:\\s?[AaPp][Mm])?[\\])]\\s',
    '\\d\\d?:\\d\\d(?:\\s?[AaPp][Mm])?\\s+[-–<@]?[\\p{L}\\w.-]{1,30}>?\\s*:',
    '<@?[\\p{L}\\w.-]{1,30}>\\s',
    '\\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|NOTICE)\\b',
    `(?:${SPEAKER})\\s*[:>：]`,
    '</?(?:user|human|assistant|system|tool|teammate)[\\w -]*>',
    '\\[(?:user|human|assistant|system)\\]',
    'at \\S+ \\(',
    'File "[^"]*", line \\d',
    'Traceback \\(',
  ]
    .map(form => `^\\s*${form}`)
    .join('|'),
  'iu',
)
/** A name and a time alone: what a chat prints above each message, up to the next empty line. */
const CHAT_HEADER =
  /^\s*@?[\p{L}\w.-]{1,30}(?: [\p{L}\w.-]{1,30})?(?:\s+(?:APP|BOT))?\s*[,·—–-]?\s+[[(]?(?:(?:today|yesterday|heute|gestern)(?: at| um)?\s+)?\d\d?:\d\d(?:\s?[ap]m)?(?: Uhr)?[\])]?\s*:?\s*$/iu
/** A shell's prompt: the block around it is a terminal's output. */
const TERMINAL_LINE = /^\s*(?:[\w.@~:/-]{0,60}[$%❯#]|PS [A-Z]:\\[^>]*>|>>>)\s+\S/
/** Words that say that someone else wrote what follows. */
const OTHERS_WORDS =
  /(?:\b(?:wrote|writes|said|says|posted|commented|replied|answered|asked|suggested|claims?|reported|according to|quoting)\b.{0,40}|\bfrom (?:the|a|our) (?:forum|ticket|issue|channel|chat|thread|mail|email|log|review|wiki|docs?|blog|readme|page)\b.{0,40}|\b(?:schrieb|schreibt|meinte|meint|sagte|sagt|antwortete|kommentierte|laut)\b.{0,40}|\b(?:a écrit|a dit|écrit|escribió|dijo|comentó)\b.{0,40})[:：]\s*$/iu
const QUOTED_FROM = /^\s*["“„«「『]/u
const QUOTED_TO = /["”“»」』][.,!?]?\s*$/u
const QUOTE = /^\s*>/
const FENCE = /^\s*(?:`{3,}|~{3,})/
/** A shorter block without log lines is part of the request: an example, a name. */
const MIN_FENCED_LINES = 12

function withoutPasted(prompt: string): { text: string; pasted: string[] } {
  const own: string[] = []
  const pasted: string[] = []
  let block: { lines: string[]; fenced: boolean; quoted?: true; message?: true } | undefined
  const close = () => {
    if (!block) return
    const { lines, fenced } = block
    block = undefined
    const data =
      !fenced ||
      lines.length - 2 >= MIN_FENCED_LINES ||
      lines.some(line => LOG_LINE.test(line) || TERMINAL_LINE.test(line))
    if (!data) {
      own.push(...lines)
      return
    }
    const text = lines.filter(line => !FENCE.test(line)).join('\n')
    if (text.trim() === '') return
    pasted.push(text)
    own.push(`[pasted text: ${lines.length} lines]`)
  }
  for (const line of prompt.split('\n')) {
    if (block?.fenced) {
      block.lines.push(line)
      if (FENCE.test(line)) close()
    } else if (block?.quoted) {
      block.lines.push(line)
      if (QUOTED_TO.test(line)) close()
    } else if (block?.message && line.trim() !== '') {
      block.lines.push(line)
    } else if (CHAT_HEADER.test(line)) {
      close()
      block = { lines: [line], fenced: false, message: true }
    } else if (FENCE.test(line)) {
      close()
      block = { lines: [line], fenced: true }
    } else if (QUOTED_FROM.test(line) && OTHERS_WORDS.test(own.at(-1) ?? '')) {
      close()
      block = { lines: [line], fenced: false, quoted: true }
      if (QUOTED_TO.test(line.slice(1))) close()
    } else if (LOG_LINE.test(line) || QUOTE.test(line)) {
      block ??= { lines: [], fenced: false }
      block.lines.push(line)
    } else {
      close()
      own.push(line)
    }
  }
  close()
  return { text: own.join('\n').trim(), pasted }
}
