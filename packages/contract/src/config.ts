import type { z } from 'zod'
import { board, claim, forge, github } from './config/claim.ts'
import { fleet, merge } from './config/fleet.ts'
import { asks, notify, telegram } from './config/people.ts'
import { permission, permissions, shadow } from './config/permission.ts'
import { proof } from './config/proof.ts'
import { sandbox } from './config/sandbox.ts'
import { context, cycle, health, watch } from './config/session.ts'
import { daemon, journal, store } from './config/state.ts'
import { budget, handsoff, workflows } from './config/workflow.ts'
import { section } from './setting.ts'

/** All sections of `.baton.yaml`. A capability adds a file in config/, built with the helpers in setting.ts, and its key here. */
export const Config = section("Baton's configuration.", {
  handsoff: handsoff.prefault({}),
  telegram: telegram.prefault({}),
  asks: asks.prefault({}),
  notify: notify.prefault({}),
  shadow: shadow.prefault({}),
  store: store.prefault({}),
  journal: journal.prefault({}),
  daemon: daemon.prefault({}),
  permission: permission.prefault({}),
  permissions: permissions.prefault({}),
  sandbox: sandbox.prefault({}),
  budget: budget.prefault({}),
  watch: watch.prefault({}),
  health: health.prefault({}),
  context: context.prefault({}),
  cycle: cycle.prefault({}),
  workflows,
  proof: proof.prefault({}),
  forge: forge.prefault({}),
  github: github.prefault({}),
  board: board.prefault({}),
  claim: claim.prefault({}),
  fleet: fleet.prefault({}),
  merge: merge.prefault({}),
})

/** The effective configuration: every default filled in, every value normalised. */
export type Config = z.output<typeof Config>
/** What a person may write in the file. */
export type ConfigInput = z.input<typeof Config>
