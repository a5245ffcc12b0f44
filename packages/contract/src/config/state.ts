import { z } from 'zod'
import { choice, section, setting, size, whole } from '../setting.ts'

export const store = section('Where state is stored in addition to the local database.', {
  url: setting(
    z
      .string()
      .regex(/^(postgres(ql)?:\/\/[^\s\p{Cc}]+)?$/u)
      .default(''),
    'A PostgreSQL database that receives a copy of the journal and that several machines can share.',
    {
      expects: 'an address such as postgres://user:password@host/database',
      trust: 'needed',
      secret: true,
      env: ['BATON_STORE_URL'],
      defaultText: 'none',
    },
  ),
})

export const journal = section('The record of everything that happened.', {
  retain: section('How much of the journal Baton keeps. It deletes the oldest entries first.', {
    days: whole(1, 3650, 30, 'How many days to keep an entry.'),
    size: size(10e6, '2GB', 'How large the journal may grow.'),
  }).prefault({}),
  content: choice(['full', 'digest'], 'full', 'Keep full prompts and tool results, or only their digests.'),
})

export const daemon = section('The one process that writes state.', {
  port: whole(0, 65_535, 4747, 'The loopback port of the API and the dashboard; 0 picks any free port.', {
    trust: 'needed',
  }),
})
