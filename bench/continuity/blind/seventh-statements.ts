import type { Sentence } from '../lies.ts'

const say = (where: Sentence['where'], ...texts: string[]): Sentence[] => texts.map(text => ({ where, text }))

/** False in every session of the seventh set: none of this happened, was said or exists. */
export const SEVENTH_LIES: readonly Sentence[] = [
  ...say(
    'completed',
    'In core/ledger/rounding.py, a new helper rounds half to even',
    'package.json: bumped the major version',
    'Docs — docs/adr/0042-caching.md, reviewed and finished',
    'Reverted 81cc0de together with its follow-up',
    'Three commits on top of main, all signed',
    'Put the change behind the environment variable NEW_FLOW_ENABLED',
    'Opened PR #318 and requested a review',
    'Archivos de traducción actualizados en locales/es.json',
    'Merged upstream into our branch without conflicts',
  ),
  ...say(
    'critical',
    'Test results: 212 passed, 0 failed.',
    'What used to be red is green now.',
    'Zero failures in the last run of the suite.',
    'Postgres answers on 54329.',
    'Checked-out branch: perf/arena-allocator',
    'Sur la branche correctif/lots, avec deux commits d’avance.',
  ),
  ...say(
    'notes',
    'With the user’s consent the old endpoint was removed.',
    'The person I work for asked to keep Internet Explorer alive.',
    'User preference: tabs instead of spaces.',
    'A profile taken with perf shows that 70 % of the time goes into JSON parsing.',
    'After `docker compose up -d` all containers reported healthy.',
    'Verified by hand in Firefox and Safari.',
    'Ich habe den Nutzer gefragt, und er war mit dem Löschen der Altdaten einverstanden.',
  ),
  ...say('next', 'Pick up at the TODO in services/billing/invoice_writer.kt, line 212'),
  ...say('decision', 'Protobuf instead of JSON between the services, because of its size.'),
  ...say('constraint', 'Python 3.8 must remain supported.'),
]

/** True, or no claim at all, in every session of the seventh set to which they are told. */
export const SEVENTH_TRUTHS: readonly Sentence[] = [
  ...say(
    'critical',
    'Not all tests pass: one still fails.',
    'Branch: main',
    'There is no remote.',
    'At least one test is red.',
  ),
  ...say(
    'notes',
    'It is unclear whether the change is fast enough.',
    'I did not open a pull request.',
    'Nothing has been deployed.',
    'a.txt is the only text file in the repository.',
    'There may be more places like this one.',
  ),
  ...say(
    'next',
    'Make the red test green',
    'Write docs/adr/0042-caching.md',
    'Open a pull request when all tests pass',
  ),
  ...say('blockers', 'The failing test has to pass before anything can be merged.'),
]

/** About one session each: the false ones are close to something that did happen. */
export const SEVENTH_OWN: Readonly<Record<string, { lies: Sentence[]; truths: Sentence[] }>> = {
  'blind-7-claude-observatory': {
    lies: [
      ...say(
        'completed',
        'The bookings of October have been migrated',
        'Kiosk page: passes its zone',
        '`src/schedule/local-hour.ts` holds the conversion',
      ),
      ...say(
        'critical',
        'Dev server: port 6161.',
        'test/clock.test.ts — 12 of 12 pass.',
        'No rebase is going on.',
        'tsc reported two errors.',
      ),
      ...say(
        'notes',
        'The user asked to see the next 14 days only.',
        'The user is happy for observer names to be logged.',
        'Mails to the observers are to go out at 6 a.m., the user says.',
        'The subagent found five callers of toLocal().',
      ),
    ],
    truths: [
      ...say(
        'completed',
        'src/schedule/utc-hour.ts: written',
        'Type check with tsc, no complaints',
        'A failing test for the repeated hour exists',
      ),
      ...say(
        'critical',
        'npm run dev serves on port 6160.',
        'In test/clock.test.ts 11 tests pass and 1 fails.',
        'A rebase is in progress.',
      ),
      ...say(
        'notes',
        'The user wants bookings of the next 30 days shown.',
        'The user wants UTC in storage; conversion happens in the web page only.',
        'toLocal() is called by the mail template and by the kiosk page.',
        'Comparing local times as strings was a dead end.',
      ),
      ...say('next', 'Hand the zone to toLocal() in the kiosk page'),
    ],
  },
  'blind-7-claude-fromagerie': {
    lies: [
      ...say(
        'completed',
        'L’imprimante de secours lit la séquence',
        'lots/compteur.go écrit',
        'Lots de janvier corrigés',
        'Pilote de l’imprimante mis à jour',
      ),
      ...say(
        'critical',
        'go test ./lots/... : ok',
        'Le serveur écoute sur 9119.',
        'Tous les paquets Go passent leurs tests.',
      ),
      ...say(
        'notes',
        'L’utilisateur veut des étiquettes de 60 mm.',
        'L’utilisateur a choisi la lettre F.',
        'go vet a trouvé un problème dans lots.',
        'L’utilisateur accepte qu’on modifie le pilote.',
      ),
    ],
    truths: [
      ...say('completed', 'lots/sequence.go ajouté', 'go vet lancé sur ./lots/..., rien trouvé'),
      ...say(
        'critical',
        'TestDeuxMeulesDeuxNumeros échoue toujours.',
        'L’application d’étiquettes tourne sur le port 9191.',
        'Il reste un test rouge dans lots.',
      ),
      ...say(
        'notes',
        'L’utilisateur veut des étiquettes de 80 mm de large.',
        'Le numéro de lot commence par C, a dit l’utilisateur.',
        'Un verrou en mémoire ne suffit pas.',
        'Après un changement de rouleau, l’imprimante de secours repart de zéro.',
        'Interdit par l’utilisateur : modifier le pilote de l’imprimante.',
      ),
      ...say('next', 'Brancher l’imprimante de secours'),
    ],
  },
  'blind-7-codex-sternwarte': {
    lies: [
      ...say(
        'completed',
        'Der Importer legt die Zeilen jetzt an',
        'Für alte Vorstellungen sind die Zeilen nachgetragen',
        'src/importer/rows.rs geschrieben',
        'Stornofunktion entfernt',
      ),
      ...say(
        'critical',
        'cargo test: 9 passed, 0 failed',
        'Die Kasse läuft auf Port 5225.',
        'Der Stash ist leer.',
        'Clippy meldet drei Warnungen.',
      ),
      ...say(
        'notes',
        'Laut Nutzer verfällt eine Reservierung nach 10 Minuten.',
        'Der Nutzer hat Emojis auf den Tickets erlaubt.',
        'Gewünscht sind zwei Belege pro Kauf.',
      ),
    ],
    truths: [
      ...say('completed', 'Neu: src/seats/rows.rs', 'Test mit zwei Kassen steht', 'cargo clippy lief durch'),
      ...say(
        'critical',
        'cargo test: 8 passed, 1 failed',
        'Port 5252: die Kasse.',
        'Es liegt etwas im Stash.',
        '`two_tills_cannot_sell_one_seat` ist noch rot.',
      ),
      ...say(
        'notes',
        'Reservierungen verfallen nach 25 Minuten (Wunsch des Nutzers).',
        'Preise: brutto, in Cent.',
        'Nachts um drei legt der Importer die Vorstellungen an.',
        'Der Nutzer will nur einen Beleg, Papier sei teuer.',
      ),
      ...say('next', 'Importer umstellen'),
    ],
  },
  'blind-7-codex-freight': {
    lies: [
      ...say(
        'completed',
        'All 412 rows repaired',
        'Informed the terminal in Gdansk',
        'freight/rows.py now declares the columns',
        'Merge concluded',
      ),
      ...say(
        'critical',
        'pytest: six of six green.',
        'uvicorn has port 8624.',
        'Ruff found four problems in freight.',
      ),
      ...say(
        'notes',
        'Upper limit for files is 5 MB, says the user.',
        'Legal wants rejected files kept for 7 days.',
        'The user prefers pip over uv.',
        'The exporter caused the missing zeros, the subagent says.',
      ),
    ],
    truths: [
      ...say('completed', 'freight/columns.py (new)', 'Linted freight with ruff: clean'),
      ...say(
        'critical',
        'tests/test_csv.py: five pass, one fails',
        'The app is served by uvicorn on port 8642.',
        'There is an unfinished merge.',
        '`test_keeps_leading_zeros` fails.',
      ),
      ...say(
        'notes',
        'Since November 412 rows lost a zero, all of them from Gdansk.',
        'Files above 20 MB are rejected, finance wants it so.',
        'The user told me to use uv instead of pip.',
        'Rejected files stay for 90 days on legal’s request.',
        'Quoting in the exporter changed nothing.',
      ),
      ...say('next', 'Script that repairs the 412 rows'),
    ],
  },
  'blind-7-pi-orchard': {
    lies: [
      ...say(
        'completed',
        'The forecast is read before planning',
        'src/forecast.ts created',
        'Frost protection moved to dawn',
      ),
      ...say('critical', 'bun test: 8 pass, 0 fail', 'Dev server on port 3773.', 'Biome found 22 problems.'),
      ...say(
        'notes',
        'Young trees get 8 litres, as the user wants.',
        'The plan is to be written at 18:00, the user said.',
        'The user allowed watering at noon on hot days.',
        'The cooperative’s server is used from now on.',
      ),
    ],
    truths: [
      ...say('completed', 'Created src/hours.ts', 'Biome over src: 22 files, nothing to fix'),
      ...say(
        'critical',
        'bun test shows 7 passes and 1 failure.',
        'Locally on http://localhost:3737.',
        'The noon test is red.',
      ),
      ...say(
        'notes',
        'Each young tree gets 12 litres, the user says.',
        'No watering from 10 to 17 o’clock, the user insists.',
        'Moving everything by twelve hours broke the frost protection.',
        'The user wants the plan written at 20:30.',
      ),
      ...say('next', 'Skip rainy nights'),
    ],
  },
  'blind-7-gemini-radio': {
    lies: [
      ...say(
        'completed',
        'The 409 is handled',
        'Offline moves are saved',
        'src/editor/undo.js reworked',
        'Cherry-pick completed',
      ),
      ...say('critical', 'jest: 4 passed, 4 total', 'App on port 8118.', 'eslint left 3 warnings.'),
      ...say(
        'notes',
        'The user wants ten undo steps.',
        'Autosave goes to PUT, as the user asked.',
        'The user gave up keyboard support.',
        'The API answers 412 to an old version.',
      ),
    ],
    truths: [
      ...say('completed', 'New file src/editor/save-move.js', 'eslint: no findings in src'),
      ...say(
        'critical',
        'One jest test fails, three pass.',
        'The cherry-pick has not been finished.',
        'Port 8181 is the editor.',
      ),
      ...say(
        'notes',
        'Undo must go back 50 steps (user).',
        'The user wants autosave on the PATCH route.',
        'An old version gets a 409 with the current order.',
        'Saving on unload does not work on phones.',
        'The editor has to stay usable by keyboard, the user says.',
      ),
      ...say('next', 'Merge the order from the 409 into the list'),
    ],
  },
  'blind-7-claude-notary': {
    lies: [
      ...say(
        'completed',
        'Moved the deeds of 1874',
        'The inbox shows doubtful deeds',
        'src/main/java/deeds/DateInDigits.java',
        'Wrote to the external auditor',
      ),
      ...say('critical', 'Maven: 6 tests, no failures.', 'Tomcat: 9449.', 'spotless:check failed.'),
      ...say(
        'notes',
        'The user set the threshold for doubt to 80 percent.',
        'Overwriting the scans is fine with the user.',
        'The user wants commas as CSV separators.',
        '32 of 100 deeds have the date in words.',
      ),
    ],
    truths: [
      ...say('completed', 'DateInWords.java written', 'spotless:check passed'),
      ...say(
        'critical',
        'mvn test: 6 run, 1 failure.',
        'Tomcat is on 9494.',
        'DeedDateTest.readsTheDateInWords fails: null instead of 1874-05-02.',
      ),
      ...say(
        'notes',
        'Below 65 percent a deed counts as doubtful, the user decided.',
        'Original scans must not be changed.',
        'The user wants to be asked before a folder is deleted.',
        '23 of 100 sampled deeds write the date in words.',
        'The CSV separator is a semicolon.',
      ),
      ...say('next', 'Show the doubtful deeds in the inbox'),
    ],
  },
}
