import { expect, it } from 'vitest'
import { shownSecrets, showsSecrets } from '../../../src/session/transcript/env-file.ts'

it.each([
  ['cat ~/.netrc', 'machine git.example login bob password honeycomb', ['honeycomb']],
  ['cat /home/me/.pgpass', 'db.example:5432:shop:app:walnuts\n', ['walnuts']],
  ['printenv', 'HOME=/root\nSTRIPE_KEY=walrus-flower\nPORT=8080', ['walrus-flower']],
  ['docker compose exec web env | sort', 'DB_PASSWORD=marzipan\nLANG=C.UTF-8', ['marzipan']],
  ['printenv MAIL_PASS', 'gooseberry\n', ['gooseberry']],
  ['cat config/secrets.yml', 'production:\n  secret_key_base: kumquat4you\n  port: 3000', ['kumquat4you']],
  ['cat .env.local', 'API_TOKEN="elderberry"\nNODE_ENV=development', ['elderberry']],
  ['pass show shop/admin', 'tamarind\n', ['tamarind']],
  ['/work/.aws/credentials', '[default]\naws_secret_access_key = pomegranate', ['pomegranate']],
])('%s shows secrets', (shown, output, values) => {
  expect(showsSecrets(shown)).toBe(true)
  expect(shownSecrets(shown, output)).toEqual(values)
})

it.each([
  'npm test',
  'cat src/environment.ts',
  'env NODE_ENV=test npm test',
  'set -e; make',
  'git show HEAD',
  'npm pass',
])('%s does not show secrets', shown => expect(showsSecrets(shown)).toBe(false))
