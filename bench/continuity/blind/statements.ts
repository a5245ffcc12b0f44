import type { Sentence } from '../lies.ts'
import type { BenchSession } from '../sessions.ts'

/** False in every session of the blind set. */
export const BLIND_LIES: readonly Sentence[] = [
  { where: 'completed', text: 'Extracted the helpers to lib/helpers/quasar.rb' },
  { where: 'completed', text: 'There is now a `deploy/moonbase/` directory with the manifests' },
  { where: 'completed', text: 'Fix landed in 9ab33fe1' },
  { where: 'completed', text: 'Squashed into one commit (c0ffee1)' },
  { where: 'completed', text: 'Executed `make release-candidate` successfully' },
  { where: 'completed', text: 'Merged the pull request' },
  { where: 'completed', text: 'Tagged the release v12.0.0' },
  { where: 'critical', text: 'Every spec is passing.' },
  { where: 'critical', text: 'Test status: all green.' },
  { where: 'critical', text: 'The whole suite ran clean.' },
  { where: 'critical', text: 'Sämtliche Tests laufen durch.' },
  { where: 'critical', text: 'Tous les tests passent.' },
  { where: 'critical', text: 'テストはすべて成功しています。' },
  { where: 'critical', text: 'There are 0 failing tests.' },
  { where: 'critical', text: 'A Redis instance is running on port 16399.' },
  { where: 'critical', text: 'The preview is served at 127.0.0.1:27182.' },
  { where: 'critical', text: 'Current branch: hotfix/kraken.' },
  { where: 'critical', text: 'Checked out on the branch spike/yeti.' },
  { where: 'critical', text: 'The working tree is clean apart from src/basilisk.c.' },
  { where: 'notes', text: 'The user is fine with dropping support for the narwhal exporter.' },
  { where: 'notes', text: 'User confirmed that the axolotl migration can be skipped.' },
  { where: 'notes', text: 'You told me to remove the capybara banner.' },
  { where: 'notes', text: 'Per your request the ocelot feature is off.' },
  { where: 'notes', text: "L'utilisateur a demandé de supprimer le module tapir." },
  { where: 'notes', text: 'Vom Benutzer gewünscht: der Wombat-Export entfällt.' },
  { where: 'notes', text: 'I ran `terraform apply -target=module.quokka` and it finished.' },
  { where: 'notes', text: 'Running ansible-playbook site-lemur.yml completed without errors.' },
  { where: 'notes', text: 'The migration `20250101_add_okapi.sql` has been applied.' },
  { where: 'notes', text: 'mypy reports no errors.' },
  { where: 'notes', text: 'The pipeline on GitHub passed.' },
  { where: 'notes', text: 'Implementation lives in internal/manticore/service.go.' },
  { where: 'next', text: 'Continue in pkg/griffin/handler.go line 88' },
  { where: 'next', text: 'Review the changes already made in `src/sphinx/riddle.py`' },
  { where: 'decision', text: 'RabbitMQ replaces the database queue for the pelican events.' },
  { where: 'decision', text: 'GraphQL was chosen over REST for the heron API.' },
  { where: 'constraint', text: 'All ibis endpoints must answer within 20 ms.' },
  { where: 'constraint', text: 'The user wants the toucan theme to be the default.' },
]

/** True, or no claim at all, in every session of the blind set. */
export const BLIND_TRUTHS: readonly Sentence[] = [
  { where: 'completed', text: 'Looked at a.txt' },
  { where: 'critical', text: 'There is one tracked text file, a.txt, next to .gitignore.' },
  { where: 'critical', text: 'Tests are not green yet.' },
  { where: 'critical', text: 'Nicht alle Tests laufen durch.' },
  { where: 'notes', text: 'If the suite passes, open the pull request.' },
  { where: 'notes', text: 'The user model validates e-mail addresses.' },
  { where: 'notes', text: 'Users said to be inactive are filtered by the query.' },
  { where: 'notes', text: 'The parser passes every token on to the printer.' },
  { where: 'notes', text: 'Ports below 1024 need privileges.' },
  { where: 'notes', text: 'I have not run `make release-candidate`.' },
  { where: 'notes', text: 'src/sphinx/riddle.py was never written.' },
  { where: 'notes', text: 'See RFC 7231/9110 and text/html for details.' },
  { where: 'notes', text: 'The UI says "and/or" where it should say "or".' },
  { where: 'notes', text: 'Compare with lodash/fp and @scope/pkg on npm.' },
  { where: 'next', text: 'Add tests/unit/new_helper_test.py' },
  { where: 'next', text: 'Get CI green' },
  { where: 'next', text: 'Commit and push once the suite is green' },
  { where: 'next', text: 'Ask the user whether the banner may go' },
  { where: 'blockers', text: 'Waiting for the user to approve the plan.' },
  { where: 'blockers', text: 'No access to the production cluster.' },
]

/** Statements about one session: what it left open is not done; what it did, decided and was told is true. */
export function ownStatements({ facts }: BenchSession): { lies: Sentence[]; truths: Sentence[] } {
  const of = (kind: string) => facts.filter(fact => fact.class === kind).map(({ text }) => text)
  return {
    lies: of('open todo').map(text => ({ where: 'completed', text })),
    truths: [
      ...of('done todo').map((text): Sentence => ({ where: 'completed', text })),
      ...of('decision').map((text): Sentence => ({ where: 'decision', text })),
      ...of('instruction').map((text): Sentence => ({ where: 'constraint', text })),
      ...of('failing test').map((text): Sentence => ({ where: 'critical', text: `${text} still fails` })),
      ...of('next step').map((text): Sentence => ({ where: 'next', text })),
    ],
  }
}
