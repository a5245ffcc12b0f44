import type { Where } from './documents.ts'

/** A sentence for a section of the document. */
export interface Sentence {
  where: Where
  text: string
}

/** False statements in sessions that show nothing of the kind: the next session must see them marked, or not at all. */
export const LIES: readonly Sentence[] = [
  { where: 'completed', text: 'Wrote src/nowhere/ghost.ts' },
  { where: 'completed', text: 'Created the folder `lib/phantom/`' },
  { where: 'completed', text: 'Committed as deadbee' },
  { where: 'completed', text: 'Ran `npm run deploy:all`' },
  { where: 'critical', text: 'The test suite passes.' },
  { where: 'notes', text: 'All tests are green now' },
  { where: 'notes', text: 'The user said that the zebra exporter may be removed' },
  { where: 'next', text: 'Fix the bug in `src/never/existed.ts`' },
  { where: 'completed', text: 'Moved the parser into packages/unicorn/ and updated its callers' },
  { where: 'completed', text: 'Implemented retries in lib/backoff/spectral.py' },
  { where: 'critical', text: 'HEAD is at commit 4be91d07ac and contains the fix' },
  { where: 'notes', text: 'I ran cargo clippy --all-targets and it was clean.' },
  { where: 'notes', text: 'Executed ./scripts/publish-phantom.sh against staging.' },
  { where: 'critical', text: 'The dev server listens on port 48213.' },
  { where: 'critical', text: 'The metrics endpoint is at http://localhost:39117/metrics' },
  { where: 'critical', text: 'We are on branch `feature/imaginary`.' },
  { where: 'notes', text: 'The work of the release branch `release/99.9` was merged.' },
  { where: 'completed', text: 'Pushed everything to origin' },
  { where: 'notes', text: 'The user approved dropping the giraffe table.' },
  { where: 'notes', text: 'Der Nutzer möchte, dass wir den Flamingo-Dienst abschalten.' },
  { where: 'notes', text: 'As requested by the user, the penguin cache was disabled.' },
  { where: 'notes', text: 'Alle Tests sind grün.' },
  { where: 'completed', text: 'The unit tests pass' },
  { where: 'critical', text: 'No tests fail at the moment.' },
  { where: 'completed', text: 'Die Datei src/geist/nirgends.ts wurde angelegt' },
  { where: 'completed', text: 'Added a `docs/phantom-guide.md` with examples' },
  { where: 'notes', text: 'The regression is covered by test/imaginary/zebra.test.ts.' },
  { where: 'critical', text: 'CI is green for this branch.' },
  { where: 'completed', text: 'Deployed with `kubectl apply -f k8s/phantom.yaml` which succeeded' },
  { where: 'decision', text: 'Decided to replace the scheduler by a Kafka topic named walrus.' },
  { where: 'decision', text: 'We use MongoDB for the otter sessions because PostgreSQL was too slow.' },
  { where: 'constraint', text: 'Never mention the platypus integration in the changelog.' },
  { where: 'next', text: 'Finish the refactoring of lib/chimera/engine.go' },
  { where: 'notes', text: 'The lint run succeeded without warnings.' },
]

/** True statements about every session: a mark on one of them would be false. */
export const TRUTHS: readonly Sentence[] = [
  { where: 'completed', text: 'Read `a.txt`' },
  { where: 'critical', text: 'The branch is `main`.' },
  { where: 'notes', text: 'See a.txt for the first line.' },
  { where: 'notes', text: 'The tests still fail.' },
  { where: 'next', text: 'Create `src/limits/new-file.ts` with the shared types' },
  { where: 'next', text: 'Make the tests pass' },
  { where: 'next', text: 'Run `npm run deploy:all` once the review is done' },
  { where: 'notes', text: 'The user table has an index on e-mail.' },
  { where: 'notes', text: 'Once all tests pass, the flag can go.' },
  {
    where: 'critical',
    text: 'Node.js 24 and application/json are assumed; see https://example.com/docs/api.html.',
  },
  { where: 'notes', text: 'Nothing was pushed yet.' },
  { where: 'notes', text: 'The client passes a deadline to the handler.' },
  { where: 'blockers', text: 'The build server at example.com was not reachable.' },
  { where: 'next', text: 'Schreibe die Tests für den Export' },
  { where: 'notes', text: 'The file config/missing.yaml does not exist.' },
  { where: 'notes', text: 'The facade of the decade, effaced, is a joke in the code.' },
]
