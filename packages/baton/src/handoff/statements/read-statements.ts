import type { HandoffDocument } from '@batonpass/contract/handoff'
import { type Line, type Mood, mapLines, sentencesOf } from './lines.ts'
import { branchesIn, commandsRunIn, commitsIn, pathsIn, portsIn } from './objects.ts'
import { OUTSIDE, type OutsideAction } from './outside-actions.ts'
import { readStates, type StateFact } from './state-statements.ts'

/** A thing that evidence can show, with what the document says about it. */
export type Stated =
  /** `changed`: the session changed it. `named`: it exists. `absent`: it does not exist. */
  | { about: 'path'; path: string; folder: boolean; as: 'changed' | 'named' | 'absent' }
  | { about: 'commit'; id: string; as: 'made' | 'named' }
  | { about: 'command'; command: string; succeeded: boolean }
  | { about: 'check'; check: Check; passed: boolean }
  | { about: 'done'; text: string }
  | { about: 'all-todos' }
  | { about: 'branch'; name: string; current: boolean }
  | { about: 'port'; port: string }
  | { about: 'clean' }
  | { about: 'pushed' }
  | { about: 'outside'; action: OutsideAction }
  | { about: 'tag'; name: string }
  | { about: 'state'; fact: StateFact }
  | { about: 'user'; sentence: string }
  | { about: 'decision'; sentence: string }
  /** A fact that Baton cannot read. */
  | { about: 'other' }

export type Check = 'tests' | 'build' | 'lint' | 'types' | 'ci'

export interface Statement {
  line: Line
  stated: Stated
}

/** Reads what a document states, in prose as in boxes. It does not look at the evidence. */
export const readStatements = (document: HandoffDocument): Statement[] =>
  readLines(document).flatMap(({ statements }) => statements)

/** The lines of a document with what each states. */
export function readLines(document: HandoffDocument): { line: Line; statements: Statement[] }[] {
  const found: { line: Line; statements: Statement[] }[] = []
  mapLines(document, line => {
    if (found.length < MAX_LINES)
      found.push({ line, statements: statedIn(line).map(stated => ({ line, stated })) })
    return line.text
  })
  return found
}

/** Whether the line says that something is so or was done. Plans, headings and what only points elsewhere do not. */
export function isClaim({ text, mood }: Line): boolean {
  if (mood !== 'fact' && mood !== 'done') return false
  if (IGNORANCE.test(text.trim())) return false
  if (/^(?:none|nothing|n\/a|keine?|-|—)\.?$/i.test(text.trim()) || /[:：?？]\s*$/.test(text)) return false
  return mood === 'done' || sentencesOf(text.slice(0, MAX_LINE)).some(each => moodOf(each, mood) === 'fact')
}

/** Says that something is not known: there is nothing to show. */
const IGNORANCE =
  /^(?:(?:this |that |it )?(?:is |was )?(?:not|never) (?:yet )?(?:checked|tested|verified|measured|looked at|known)\b|i (?:do not|don['’]t) know\b|(?:it is )?(?:unknown|unclear|open)\b(?: (?:whether|if|why|how)\b|:)|nicht (?:geprüft|getestet|gemessen|bekannt)\b|ungeprüft\b|unklar\b|je ne sais pas\b|no sé\b|não sei\b)/i

/** Whether the text speaks of tests, builds or the like, whatever it says about them. */
export const namesCheck = (text: string): boolean =>
  Object.values(SUBJECTS).some(subject => subject.test(text))

/** Lines beyond this are not checked, and therefore marked. */
export const MAX_LINES = 2000

function statedIn({ text, mood }: Line): Stated[] {
  const short = text.slice(0, MAX_LINE)
  return [
    ...sentencesOf(short).flatMap(sentence => inSentence(sentence, moodOf(sentence, mood))),
    ...(mood === 'done' ? [{ about: 'done', text: short } as const] : []),
    ...(mood === 'instruction' ? [{ about: 'user', sentence: short } as const] : []),
    ...(mood === 'decision' ? [{ about: 'decision', sentence: short } as const] : []),
  ]
}

const MAX_LINE = 4000

function inSentence(sentence: string, mood: Mood): Stated[] {
  const planned = mood === 'plan' || mood === 'instruction'
  const found: Stated[] = []
  // A path may hold such a word: src/never.ts.
  const denied = NOT.test(sentence.replaceAll(/`[^`\n]{1,500}`|\S*\/\S+/g, ' ').replaceAll(NO_PROBLEM, ' '))
  const changes = !planned && CHANGED.test(sentence) && !denied
  const moved = MOVED.exec(sentence)
  for (const { path, folder, at } of pathsIn(sentence)) {
    // What was moved is gone; where it was moved to is there.
    if (moved ? at < moved.index + moved[0].length : REMOVED.test(sentence)) continue
    if (!planned && saysAbsent(sentence, path, at)) {
      found.push({ about: 'path', path, folder, as: 'absent' })
      continue
    }
    if ((planned && CREATED.test(sentence)) || NOT_THERE.test(sentence)) continue
    if (denied && CHANGED.test(sentence)) continue
    found.push({ about: 'path', path, folder, as: changes ? 'changed' : 'named' })
  }
  const made = !planned && /\bcommitted\b|\bcommitted as\b|\bin commit\b|\bcommit\b/i.test(sentence)
  for (const id of commitsIn(sentence)) found.push({ about: 'commit', id, as: made ? 'made' : 'named' })
  for (const { name, current } of branchesIn(sentence))
    if (!(planned && CREATED.test(sentence)) && !REMOVED.test(sentence))
      found.push({ about: 'branch', name, current: current && !planned })
  if (!planned || /\b(?:listens?|runs?|running|läuft|lauscht)\b/i.test(sentence))
    for (const port of portsIn(sentence)) found.push({ about: 'port', port })
  if (saysTheUser(sentence)) found.push({ about: 'user', sentence })
  if (planned) return found
  const facts = readStates(sentence)
  if (facts.length > 0) return facts.map(fact => ({ about: 'state', fact }))
  for (const command of denied ? [] : commandsRunIn(sentence))
    found.push({ about: 'command', command, succeeded: mood === 'done' || SUCCEEDED.test(sentence) })
  found.push(...checksIn(sentence))
  if (ALL_TODOS.test(sentence) && !denied) found.push({ about: 'all-todos' })
  if (CLEAN.test(sentence)) found.push({ about: 'clean' })
  if (denied) return found
  if (PUSHED.test(sentence)) found.push({ about: 'pushed' })
  for (const action of Object.keys(OUTSIDE) as OutsideAction[])
    if (OUTSIDE[action].test(sentence)) found.push({ about: 'outside', action })
  for (const [, name = ''] of sentence.matchAll(TAGGED)) found.push({ about: 'tag', name })
  return found
}

const TAGGED =
  /\b(?:tagged|getaggt)\b[^.;]{0,40}?`?\b(v?\d+(?:\.\d+)+[\w.-]*|v\d[\w.-]*)|\btag `?(v?\d+(?:\.\d+)+[\w.-]*)`? (?:was|is|has been|exists)/gi

/** Only right before or after the path: in "the header of a.ts is missing" the file exists. */
function saysAbsent(sentence: string, path: string, at: number): boolean {
  const after = sentence.slice(at, at + path.length + 60)
  return (
    ABSENT_AFTER.test(after.slice(after.indexOf(path) + path.length)) ||
    ABSENT_BEFORE.test(sentence.slice(0, at))
  )
}
const ABSENT_AFTER =
  /^[`/]{0,2}\s+(?:does not exist|doesn['’]t exist|never existed|is absent|existiert nicht|gibt es nicht|n['’]existe pas|no existe|não existe|non esiste)\b/i
const ABSENT_BEFORE =
  /\b(?:there is no|es gibt kein(?:e|en)?|il n['’]y a pas de|no hay)(?: (?:file|folder|directory|datei|ordner))?\s*$/i

/** A sentence about the future is a plan, wherever it is. */
const moodOf = (sentence: string, mood: Mood): Mood =>
  mood === 'fact' && PLANNED.test(sentence) ? 'plan' : mood

const PLANNED =
  /^(?:next|then|todo|later|please|once|when|if|as soon as|wenn|sobald|falls)\b|\b(?:once (?:all|the|every)|will|should|must|need(?:s|ed)? to|has to|have to|going to|to be done|planned|not yet|still to|remains to|until|make sure|ensure|would|could|may|might|perhaps|maybe|possibly|presumably|want(?:s)? to|before (?:you|we|the))\b|\b(?:werden?|soll(?:te)?|muss|müssen|noch nicht|noch zu|als nächstes|damit|vielleicht|möglicherweise|vermutlich|peut-être|quizás?|tal vez|talvez|forse)\b/i
const CHANGED =
  /\b(?:wrote|written|writes|created|added|changed|modified|updated|edited|implemented|implements|refactored|rewrote|rewritten|extended|extracted|generated|moved|renamed|fixed|introduced|split|ported|migrated|(?:[Ww]rite|[Cc]reate|[Aa]dd|[Ii]mplement|[Uu]pdate|[Ff]ix|[Rr]efactor|[Mm]ove|[Rr]ename) )|\b(?:geschrieben|schrieb|angelegt|erstellt|erzeugt|geändert|ergänzt|hinzugefügt|umgesetzt|implementiert|aktualisiert|verschoben|umbenannt)\b/i
const CREATED =
  /\b(?:create|add|write|new|introduce|generate|move|extract|rename|split|copy|port|scaffold|set up|anlegen|erstellen|lege|schreibe|ergänze|neue[nrs]?|verschiebe|into|called|named)\b/i
const REMOVED =
  /\b(?:remove[ds]?|delete[ds]?|dropped|drop|gone|obsolete|gelöscht|entfernt|lösche|entferne)\b/i
const MOVED =
  /\b(?:moved?|renamed?|extracted?|copied|split|verschoben|umbenannt)\b.{0,300}?(?:\b(?:to|into|nach|in)\b|→|->)\s/i
const NOT_THERE =
  /\b(?:does not exist|doesn't exist|do not exist|missing|is absent|no longer|never existed|there is no|fehlt|gibt es nicht)\b/i
const NOT =
  /\b(?:not|never|no|none|nothing|nobody|without|cannot|didn't|did not|hasn't|haven't|wasn't|weren't|isn't|aren't|nicht|nichts|nie|kein(?:e[nrs]?)?)\b/i
/** Says that something went well, and denies nothing. */
const NO_PROBLEM =
  /\b(?:without|with no|no|ohne|sans|sin|senza|sem) (?:any |further |a |single |jede[ns]? )*(?:problems?|errors?|issues?|warnings?|failures?|trouble|hitch|complaints?|fehler|probleme?|erreurs?|errores|problemas?|errori|erros)\b/gi
const SUCCEEDED =
  /\b(?:success(?:ful|fully)?|succeed(?:s|ed)|passe[sd]|worked|works|fine|green|clean|erfolgreich|fehlerfrei)\b|\bexit(?:s|ed)? (?:code )?0\b/i

const SUBJECTS: Readonly<Record<Check, RegExp>> = {
  tests:
    /\b(?:(?:go|cargo|npm|dotnet|mix|bun|deno|swift) test|pytest|vitest|jest|ctest|phpunit|nextest|unittest)\b|\b(?:tests|specs|spec|test[- ]?suites?|suite|test (?:run|status|results?)|testl[aä]uf\w*|tests?uite|everything|alles|regressions?|pruebas|nothing (?:is |was )?(?:broken|failing|failed|fails|red))\b|\btest\b(?=.{0,80}\bpass(?:es|ed|ing)\b)|テスト|测试|테스트|тест/iu,
  ci: /\b(?:ci|pipelines?|github actions?|workflow runs?|checks on (?:github|the pull request))\b/i,
  build: /\b(?:build|compilation|it compiles|compiles|bundle|der build)\b/i,
  lint: /\b(?:lint(?:er|ing)?|eslint|biome|ruff|formatter)\b/i,
  types: /\b(?:type[- ]?checks?(?:ing)?|tsc|types|mypy|typprüfung)\b/i,
}
const PASSES =
  /\bpass(?:es|ed|ing)?\b(?!\s+(?:a|an|the|them|it|its|this|that|along|null|undefined|`|\w+ (?:to|into)\b))|\bgreen\b|\bsucceed(?:s|ed)?\b|\bsuccessful(?:ly)?\b|\bcompiles?\b|\b(?:is|are|runs?|ran) (?:fine|clean|ok|okay)\b|\bwithout (?:any )?(?:errors?|failures?|warnings?)\b|\b(?:no|0|zero) (?:\w+ )?(?:fail(?:ed|ing|ures?|s)?|errors?)\b|\b(?:grün|bestanden|erfolgreich|fehlerfrei|laufen durch|läuft durch|durchgelaufen)\b|\b(?:passent|passe|réussi(?:s|ssent|t)?|verts?|pasan|pasaron|verdes?|passano|passam)\b|(?:all|every|alles|tout|todo)\s+(?:ok|okay|good)\b|成功|通(?:って|り|過|过)|合格|パス(?:し|して)|全绿|성공|통과|geç(?:iyor|ti|er)(?!\p{L})|yeşil|przechodz|проход(?:ит|ят)|passou|passaram|slaagt|slagen|✅/iu
const FAILS =
  /\b(?:fail(?:s|ed|ing|ures?)?|broken|red)\b|\b(?:schlägt|schlagen)\b.{0,40}\bfehl\b|\bfehlgeschlagen\b|\bdo(?:es)? not pass\b|(?<!\p{L})(?:(?:noch|wieder|ist|sind) rot|falha[mr]?|fallan?|échou(?:e|ent)|fallisc(?:e|ono)|rouge|rojos?|vermelhos?|kırmızı|başarısız)(?!\p{L})|失敗|失败|실패|не проход|❌/iu
/** Not "the red spec": there, something else is said about what fails. */
const FAILING = String.raw`(?:fail(?:s|ed|ing)?|broken|red|(?:schlägt|schlagen) fehl)\b(?!\s+(?:[\w-]+\s+)?(?:tests?|specs?|suites?|checks?|cases?|builds?)\b)`
const CHECKED = String.raw`(?:tests?|specs?|suites?|checks?|cases?|builds?|jobs?|pipelines?|one|thing|of (?:them|these|those|the \w+))`
/** Denies that something fails: what fails, what is checked ("no spec is red"), or the failing ("is no longer red"). */
const NO_FAILURE = new RegExp(
  [
    String.raw`\b(?:no|0|zero|without|keine?)\s+(?:\w+\s+){0,2}?(?:fail(?:ed|ing|ures?|s)?|errors?|fehler)\b`,
    String.raw`\b(?:none|nothing) (?:is |are |was )?(?:fail(?:s|ed|ing)?|broken|red)\b`,
    String.raw`\b(?:no|none|not (?:a|one)(?: single)?|neither|zero|0|keine?r?)\s+(?:[\w-]+\s+)?${CHECKED}(?:\s+[\w'’-]+){0,4}?\s+${FAILING}(?: (?:any (?:longer|more)|anymore|mehr))?`,
    String.raw`(?:\b(?:not|no longer|never|nicht(?: mehr)?|stopped)|n['’]t)\s+(?:\w+\s+)?${FAILING}(?: (?:any (?:longer|more)|anymore|mehr))?`,
  ].join('|'),
  'gi',
)
const DENIED =
  /\b(?:not|don['’]t|doesn['’]t|didn['’]t|isn['’]t|aren['’]t|never|cannot|nicht|pas|nunca)\b|\bno (?:pasan|están)\b|ません|ていない|没有|未/iu

/** Whether the sentence says that something fails. */
export function saysFails(sentence: string): boolean {
  const rest = sentence.replaceAll(NO_FAILURE, ' ')
  return FAILS.test(rest) && rest === sentence && !DENIED.test(rest) && !PASSES.test(rest)
}

/** Whether the sentence says that something failed or that a tool complained. */
export const saysProblem = (sentence: string): boolean => {
  const rest = sentence.replaceAll(NO_PROBLEM, ' ').replaceAll(NO_FAILURE, ' ')
  return (
    rest === sentence &&
    !DENIED.test(rest) &&
    (saysFails(rest) || COMPLAINS.test(rest) || (FOUND.test(rest) && !FIXED.test(rest)))
  )
}
const COMPLAINS =
  /(?<!\p{L})(?:found|finds|reports?|reported|left|shows?|showed|gave|has|had|meldet|meldete|fand|zeigt|trouvé|signale|encontró|encontrou|trovato)(?!\p{L})[^.]{0,40}(?<!\p{L})(?:problems?|errors?|issues?|warnings?|\p{L}{0,20}fehler|\p{L}{0,20}warnung(?:en)?|probleme?|problèmes?|erreurs?|avertissements?|errores|problemas?|erros|errori|problemi)(?!\p{L})/iu
/** "errors found", "two warnings were reported" at the end of what is said. */
const FOUND =
  /(?<!\p{L})(?:problems?|errors?|issues?|warnings?|\p{L}{0,20}fehler|\p{L}{0,20}warnung(?:en)?|probleme?|erreurs?|avertissements?|errores|errori)\s(?:(?:were|was|are|is|have been|wurden?|ont été)\s)?(?:found|reported|detected|shown|left|remain(?:s|ing)?|gefunden|gemeldet|trouvée?s?|signalée?s?|encontrados|trovati)(?=\s*(?:[.,;:!)]|$)|\sin\s)/iu
const FIXED =
  /(?<!\p{L})(?:fix(?:ed)?|resolved?|removed?|solved|corrected|behoben|beseitigt|corrigée?s?)(?!\p{L})/iu

/** Statements about tests, builds and checks. */
function checksIn(sentence: string): Stated[] {
  const words = sentence.replaceAll(/`[^`\n]{1,500}`/g, ' ')
  // What denies a failure says that the check passes; its words say nothing else.
  const rest = words.replaceAll(NO_FAILURE, ' ')
  const deniesFailure = rest !== words
  const names = (Object.keys(SUBJECTS) as Check[]).filter(
    check =>
      SUBJECTS[check].test(words) ||
      (check === 'tests' && deniesFailure && /\b(?:test|case)s?\b/i.test(words)),
  )
  if (names.length === 0) return []
  const fails = FAILS.test(rest)
  if (!fails && !deniesFailure && !PASSES.test(rest)) return []
  const passed = !fails && !DENIED.test(rest)
  return names.map(check => ({ about: 'check', check, passed }))
}

const ALL_TODOS =
  /\b(?:all|every|alle)\b[^.]{0,40}\b(?:todos?|to-dos?|tasks?|items?|aufgaben)\b[^.]{0,30}\b(?:done|complete[d]?|finished|closed|ticked|erledigt|fertig)\b/i
const CLEAN =
  /\b(?:working (?:tree|directory|copy)|worktree|git status|tree|repository|repo) is clean\b|\bclean (?:working (?:tree|directory|copy)|worktree)\b|\bnothing (?:is |left )?uncommitted\b|\bno uncommitted (?:changes|files)\b|\b(?:everything|all changes|all work|all files) (?:is|are|was|were|has been|have been) committed\b|\balles (?:ist )?(?:committe?t|eingecheckt)\b/i
const PUSHED =
  /\b(?:pushed|gepusht)\b|\b(?:branch|commits?|everything|all) (?:is|are) on (?:the remote|origin|github)\b/i

/** Nouns after "user" that make it a part of the program. */
const USER =
  /\b(?:the |our |your |der |die |dem |vom )?(?:user|person|customer|client|owner|maintainer|stakeholder|product owner|reviewer|nutzer|nutzerin|benutzer|anwender|auftraggeber|kunde)(?:'s|s')?\b(?![-_/.]| (?:table|model|id|ids|service|endpoint|names?|interface|input|data|accounts?|agent|story|stories|page|form|record|object|session|role|profile|settings?|store|schema|type|entity|controller|list|menu|api|flow|column|code|module|class|component|fixtures?|tests?)\b)/i
const SPOKE =
  /\b(?:said|says|asked|asks|ask|wants?|wanted|told|tells|confirmed|confirms|approved|approves|agreed|agrees|prefers?|preferred|requested|requests?|requires?|required|decided|decides|instructed|instructions?|insists?|insisted|allowed|allows|permitted|chose|rejected|explained|mentioned|stated|authorized|authorised|signed off|okayed|wish(?:es|ed)?|decision|permission|approval|consent|accepted|okay with|ok with|fine with)\b|\b(?:sagte|sagt|gesagt|will|wollte|möchte|bat|gebeten|bestätigt[e]?|wünscht[e]?|erlaubt[e]?|verlangt[e]?|genehmigt[e]?|freigegeben|einverstanden|entschied(?:en)?|zugestimmt|gewünscht|gefordert|vorgegeben)\b/i

/** Words to the user in the second person, and other languages. */
const YOU_SAID =
  /\b(?:(?:as|like|what|since|because|that) )?you (?:\w+ )?(?:said|told|asked|wanted|requested|confirmed|approved|agreed|decided|instructed|insisted|mentioned|preferred|allowed|okayed)\b|\b(?:per|at|by|on|following|according to) your (?:request|wish|instructions?|decision|approval|word)\b|\b(?:auf|nach|laut) (?:deine[nmr]?|ihre[nmr]?|eure[nmr]?) (?:wunsch|anweisung|vorgabe|bitte)\b|\b(?:du|sie) (?:hast|haben|wolltest|wollten|hattest)\b.{0,80}\b(?:gesagt|gebeten|gewünscht|bestätigt|entschieden|erlaubt|freigegeben)\b|\b(?:l['’]utilisat(?:eur|rice)|le client|la cliente)\b.{0,40}\b(?:demandé|veut|souhaite|voulait|confirmé|approuvé|validé|dit|accepté|préfère)(?!\p{L})|\b(?:el usuario|la usuaria|el cliente)\b.{0,40}\b(?:pidió|quiere|dijo|confirmó|aprobó|aceptó|prefiere|solicitó|ha pedido)\b|\bl['’]utente\b.{0,40}\b(?:chiesto|vuole|detto|confermato)\b|\b(?:o utilizador|o usuário|a usuária|o cliente)\b.{0,40}(?:quer|pediu|disse|prefere|confirmou|aprovou|exige)(?!\p{L})|(?<!\p{L})(?:kullanıcı|müşteri)(?!\p{L}).{0,120}(?:istiyor|istemiyor|istedi|söyledi|dedi|onayladı|tercih ed)|(?<!\p{L})(?:użytkownik|klient)(?!\p{L}).{0,40}(?:chce|prosił|powiedział|zatwierdził|woli)(?!\p{L})|\bde gebruiker\b.{0,40}\b(?:wil|vroeg|zei|keurde)\b|\b(?:laut|gemäß|according to|per|selon|según|segundo|secondo) (?:(?:the|dem|der|l|el|o|la|le) ?)?['’]?(?:user|nutzer|benutzer|anwender|kunden|utilisateur|usuario|usuário|utilizador|utente|client)\b|(?:wunsch|vorgabe|anweisung|bitte|entscheidung) (?:des|der|vom|von der) (?:nutzer|benutzer|anwender|kunde|auftraggeber)|(?<!\p{L})(?:dit|demandé|voulu|souhaité|exigé|interdit|refusé|décidé|choisi|dicho|pedido|decidido|prohibido|pediu|decidiu|disse)(?: par| por| pelo)? (?:l['’]utilisat|le client|el usuario|la usuaria|el cliente|o utilizador|o usuário|o cliente)|\((?:the )?(?:user|nutzer|benutzer|utilisateur|usuario|usuário|utilizador)\)|пользовател\p{L}{1,3}.{0,40}(?:хочет|просил|сказал)|ユーザー(?:は|が|の(?:要望|指示|依頼)|から)|用户(?:要求|说|希望|确认|同意)|사용자(?:가|는)/iu
/** Plans to speak with the user report nothing. */
const ASKS_THE_USER =
  /\b(?:needs?|requires?|waits? for|awaits?|pending|braucht|benötigt) (?:the |an? |explicit |eine? |die )*(?:approval|permission|consent|confirmation|decision|answer|sign-?off|zustimmung|freigabe|bestätigung)\b|\b(?:an?|each|every|any|no|some|one|ein|jeder|kein|chaque|cada) (?:\w+ )?(?:user|customer|client|person|nutzer|benutzer|kunde|usuario|utilisateur)\b|\b(?:ask(?:ing)?|tell|remind|inform|check with|confirm with|wait(?:ing)? for|frag(?:e|en)?|warte[nt]?(?: auf)?|demander à|preguntar)\b(?: \w+)? (?:the |den |die |der |dem |l['’]|al )?(?:user|person|customer|client|owner|reviewer|nutzer\w*|benutzer\w*|kunde\w*|utilisateur|usuario|you)\b/i

/** Whether the sentence reports what the user said or wants. */
function saysTheUser(sentence: string): boolean {
  if (ASKS_THE_USER.test(sentence)) return false
  if (YOU_SAID.test(sentence)) return true
  const at = USER.exec(sentence)
  if (!at) return false
  const around = sentence.slice(Math.max(0, at.index - 60), at.index + at[0].length + 60)
  return SPOKE.test(around.replace(USER, ' '))
}
