import { labelOf, type PlacedSecret } from './secrets-in-commands.ts'
import { isKnownName } from './value-forms.ts'

/**
 * Secrets in settings: a line that is nothing but a name and a value (`smtpPass: "…"`, `MAIL_PASS=…`, `passwort = …`), whose name ends
 * like that of a secret. Every repetition is bounded, as in secrets.ts.
 */
export function findSettingSecrets(line: string): PlacedSecret[] {
  if (!MAY_HOLD.test(line)) return []
  const { name = '', sign = '', quoted, bare } = SETTING.exec(line)?.groups ?? {}
  const value = quoted ?? bare
  if (value === undefined || !SECRET_NAME.test(snakeCase(name)) || NOT_A_VALUE.test(value)) return []
  // Without quotes, a word in a program is a variable; in an environment file it is the value.
  const isVariable = quoted === undefined && /^[A-Za-z_$][\w$]*(?:\.[\w$]+)*$/.test(value)
  if (isVariable && !isOfEnvironment(name, sign, line)) return []
  if (namesSecret(value) || (isKnownName(value) && !/^[a-z\d]+(?:[_.][a-z\d]+)+$/i.test(value))) return []
  return [{ value, at: line.lastIndexOf(value), what: labelOf(name) }]
}

/** `SMTP_PASS=value`, or `SMTP_PASS: value` in YAML, where no comma ends the line. */
const isOfEnvironment = (name: string, sign: string, line: string): boolean =>
  /^[A-Z][A-Z\d_]+$/.test(name) &&
  (sign === '=' || (sign === ':' && name.includes('_') && !/[,;]\s*$/.test(line)))

const SETTING =
  /^[ \t]{0,60}(?:-[ \t]{1,4}|export[ \t]{1,4}|set[ \t]{1,4}|ENV[ \t]{1,4}|\$env:)?["']?(?<name>[\p{L}_][\p{L}\d_.-]{0,60})["']?[ \t]{0,4}(?<sign>[:=]|=>)[ \t]{0,4}(?:"(?<quoted>[^"\n]{3,200})"|'(?<quoted>[^'\n]{3,200})'|(?<bare>[^\s"'#,;`]{3,200}))[ \t]{0,4}[,;]?[ \t]{0,4}(?:#.{0,200})?$/u
const SECRET_NAME =
  /(?:^|[_.-])(?:pass(?:word|wd|phrase|code|wort|wrd)?|pwd|pw|psk|secret|mdp|mot[_-]?de[_-]?passe|kennwort|contrase[nñ]a|clave|senha|wachtwoord|lösenord|has[lł]o|heslo|parola?|şifre|sifre|(?:api|secret|access|private|signing|encryption|auth)[_-]?key|(?:api|auth|access|bot|refresh)[_-]?token)$/u
/** `smtpPass` as `smtp_pass`. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2').toLowerCase()
const MAY_HOLD =
  /(?:pass|pw|psk|secret|mdp|wort|contras|clave|senha|wachtw|lösen|has[lł]o|heslo|parol|[şs]ifre|key|token)\w{0,12}["']?\s{0,4}[:=]/i
const NOT_A_VALUE =
  /^(?:[$%<{[(*]|\d{1,3}$|(?:true|false|null|none|yes|no|string|str|text|number|int|integer|bool|boolean|any|unknown|bytes|varchar|required|optional|hidden|missing|empty|unset|invalid|wrong|expired|redacted)$|https?:|env:|process\.|os\.)|\[redacted|[()]|\s.*\s/i

/** A value that itself names a secret is a reference to one: `user.password`, `db_pass`. */
export const namesSecret = (value: string): boolean =>
  /pass(?:word|wd|wort|phrase|code)?(?![a-z])|secret|token|credential|pwd|(?:^|[_.])(?:env|config|settings|params|args|user|input|form|req|request|field|column|self|this)(?=$|[_.])/i.test(
    value,
  )
