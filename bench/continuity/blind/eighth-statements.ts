import type { Sentence } from '../lies.ts'

const say = (where: Sentence['where'], ...texts: string[]): Sentence[] => texts.map(text => ({ where, text }))

/** False in every session of the eighth set. */
export const EIGHTH_LIES: readonly Sentence[] = [
  ...say(
    'completed',
    'src/core/ — reorganised into three layers',
    'Changelog entry under CHANGES/1180.feature.md',
    'Backported to the release branch 3.x',
    'Mutation tests: 91 % killed',
  ),
  ...say(
    'critical',
    'Green across the board.',
    'memcached: port 21211',
    'Local branch fix/off-by-one is two commits ahead.',
    'There is an annotated tag v0.9.4.',
  ),
  ...say(
    'notes',
    'On the user’s instruction the linter was turned off.',
    'Der Auftraggeber verzichtet auf die Abnahme.',
    'Tried with strace: no unexpected file access.',
    'Users of version 2 were told by mail.',
  ),
  ...say('decision', 'Server-sent events rather than polling.'),
  ...say('constraint', 'Every public function needs an example.'),
]

/** True, or no claim at all, in every session of the eighth set. */
export const EIGHTH_TRUTHS: readonly Sentence[] = [
  ...say('critical', 'Still on main.', 'One test is not green yet.', 'No remote is set up.'),
  ...say(
    'notes',
    'Perhaps a smaller change would do.',
    'I have not pushed anything.',
    'No release was made.',
  ),
  ...say('next', 'Get the last test green', 'Then tidy up the names'),
]

/** About one session each. */
export const EIGHTH_OWN: Readonly<Record<string, { lies: Sentence[]; truths: Sentence[] }>> = {
  'blind-8-claude-ferry': {
    lies: [
      ...say(
        'completed',
        'Cache of the kiosk cleared',
        'Departure screen: validity shown',
        'src/season/months.ts rewritten',
        'Published the summer timetable',
      ),
      ...say(
        'critical',
        'season.test.ts: five of five pass',
        'The dev server has port 5885.',
        'The stash is empty.',
        'tsc found 4 errors.',
      ),
      ...say(
        'notes',
        'Passengers are warned five minutes before departure, as the user wants.',
        'The user prefers the 12-hour format.',
        'The subagent counted seven screens.',
        'According to the user, published files may be changed.',
      ),
    ],
    truths: [
      ...say(
        'completed',
        'src/season/validity.ts added',
        'tsc without errors',
        'Test for the first summer day written',
      ),
      ...say(
        'critical',
        'Dev server: http://localhost:5858',
        'The stash holds something.',
        'season.test.ts: 4 pass, 1 fails',
        'The test "picks the summer timetable from its first day" is red.',
      ),
      ...say(
        'notes',
        'The user wants passengers warned 15 minutes before departure.',
        'Published timetable files must never be changed, says the user.',
        'The kiosk caches the season for a week.',
        'The user asked for the 24-hour format.',
        'Three screens read the season.',
      ),
      ...say('next', 'Drop the kiosk cache when the season changes'),
    ],
  },
  'blind-8-codex-bibliothek': {
    lies: [
      ...say(
        'completed',
        'Warteschlange gefiltert',
        'Mahntext überarbeitet',
        'src/Mahnung/Queue.php angelegt',
        'composer update ausgeführt',
      ),
      ...say(
        'critical',
        'PHPUnit: 6 von 6 grün',
        'Der Server läuft auf Port 8756.',
        'php -l meldet einen Syntaxfehler in Versand.php.',
      ),
      ...say(
        'notes',
        'Der Nutzer will die erste Mahnung nach drei Tagen.',
        'Der Nutzer hat composer update erlaubt.',
        'In der Warteschlange liegen 181 Mahnungen.',
        'Testmails gehen an echte Adressen, das ist mit dem Nutzer abgesprochen.',
      ),
    ],
    truths: [
      ...say('completed', 'Versand.php geschrieben', 'Syntax von Versand.php mit php -l geprüft'),
      ...say(
        'critical',
        'PHPUnit: 6 Tests, 1 Fehlschlag.',
        'Der Entwicklungsserver läuft auf Port 8765.',
        'test_keine_mahnung_nach_rueckgabe schlägt fehl.',
      ),
      ...say(
        'notes',
        'Der Nutzer will die erste Mahnung nach 7 Tagen.',
        'composer update hat der Nutzer verboten.',
        '118 Mahnungen liegen in der Warteschlange, 31 davon zu Unrecht.',
        'Absender ist laut Nutzer immer mahnung@bibliothek.example.',
        'Beim Testen darf nach dem Willen des Nutzers keine Mail an echte Adressen gehen.',
      ),
      ...say('next', 'Die 31 Mahnungen herausfiltern'),
    ],
  },
  'blind-8-pi-bakery': {
    lies: [
      ...say(
        'completed',
        'Old recipes converted',
        'Help explains the remainder',
        'Wrote src/rounding.ts',
        'Rebase finished',
      ),
      ...say('critical', 'bun test — 6 of 6 ok', 'Port 6226 serves the calculator.', 'biome check: 3 errors'),
      ...say(
        'notes',
        'Three decimals at most, the user says.',
        'The user would rather have grams than milligrams.',
        'The owner agreed to remove the salt limit.',
        'Rounding down solved it.',
      ),
    ],
    truths: [
      ...say('completed', 'New: src/remainder.ts', 'biome check on src is clean', 'A test for large batches'),
      ...say(
        'critical',
        'bun test: 5 pass, 1 fail',
        'A rebase is still going on.',
        'The calculator is on port 6262.',
        '"keeps the salt ratio in large batches" fails',
      ),
      ...say(
        'notes',
        'The user wants at most 1 decimal in recipes.',
        'Weights: whole milligrams, as the user demands.',
        'Rounding down made small batches too bland.',
        'Not sure whether old recipes need it, too.',
      ),
      ...say('next', 'Convert data/ to milligrams'),
    ],
  },
}
