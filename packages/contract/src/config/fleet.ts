import { z } from 'zod'
import { choice, section, setting, text, whole } from '../setting.ts'

export const fleet = section('Issues that Baton works on by itself, several at a time.', {
  postgres: setting(
    z
      .string()
      .regex(/^(postgres(ql)?:\/\/[^\s\p{Cc}]+)?$/u)
      .refine(isPrivate)
      .default(''),
    'The PostgreSQL database that keeps the queue. Without it, Baton starts a PostgreSQL of its own.',
    {
      expects:
        'an address such as postgres://user:password@host/database?sslmode=verify-full; without sslmode=verify-full only on this machine',
      trust: 'needed',
      secret: true,
      env: ['BATON_FLEET_POSTGRES'],
      defaultText: "Baton's own",
    },
  ),
  name: text('', 'The name of this machine for the others of the fleet.', {
    trust: 'needed',
    defaultText: 'its host name',
  }),
  lease_minutes: whole(
    1,
    1440,
    10,
    'How many minutes a machine may be silent before the others resume its issues, by the clock of the database they share.',
    { trust: 'needed' },
  ),
  per_repository: whole(1, 64, 2, 'How many issues of one repository Baton works on at the same time.', {
    trust: 'needed',
  }),
  limits: setting(
    z
      .record(z.string().regex(/^(?:label|agent|repository):[^\p{Cc}]{1,200}$/u), z.int().min(0).max(64))
      .default({}),
    'How many issues Baton works on at the same time, by `label:NAME`, `agent:NAME` or `repository:HOST/OWNER/NAME`.',
    {
      expects: 'a map from label:NAME, agent:NAME or repository:HOST/OWNER/NAME to a number from 0 to 64',
      trust: 'needed',
      defaultText: 'none',
    },
  ),
  label: text(
    'baton',
    'In repositories that `baton queue watch` names: issues with this label become jobs.',
    {
      trust: 'needed',
    },
  ),
  column: text('', 'The same for a column (Status) of the board, such as Ready.', {
    trust: 'needed',
    defaultText: 'none',
  }),
})

/** Whether no one on the way can read or answer: TLS with a verified server, or a database on this machine. */
function isPrivate(url: string): boolean {
  if (url === '' || !URL.canParse(url)) return url === ''
  const { hostname, searchParams } = new URL(url)
  // A host in the query wins over the other one.
  const hosts = [hostname, ...searchParams.getAll('host'), ...searchParams.getAll('hostaddr')]
  const isLocal = hosts.every(host => LOCAL.test(host))
  const modes = searchParams.getAll('sslmode')
  return isLocal || (modes.length === 1 && modes[0] === 'verify-full')
}

/** A socket's folder, or loopback. */
const LOCAL = /^(|(\/|%2f).*|localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i

export const merge = section('How the fleet merges its pull requests.', {
  policy: choice(
    ['person', 'approved', 'proven'],
    'person',
    'When the fleet merges a pull request whose checks pass: after a `person` said yes, after a review `approved` it, or as soon as Baton has `proven` it.',
    { trust: 'to-loosen', looser: ['person', 'approved', 'proven'] },
  ),
  method: choice(['merge', 'squash'], 'merge', 'How: with a merge commit, or as one commit.'),
})
