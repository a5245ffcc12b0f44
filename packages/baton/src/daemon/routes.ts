import { homedir } from 'node:os'
import type { Pause } from '@batonpass/contract/pause'
import type { Hono } from 'hono'
import type { Baton } from '../compose.ts'
import type { MayAnswer } from './answerer-guard.ts'
import { askRoutes } from './ask-routes.ts'
import { claimRoutes } from './claim-routes.ts'
import { containedRoutes } from './contained-routes.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { cycleRoutes } from './cycle-routes.ts'
import { dashboardRoutes } from './dashboard-routes.ts'
import { editorRoutes } from './editor-routes.ts'
import { fleetRoutes } from './fleet-routes.ts'
import { hostedRoutes } from './hosted-routes.ts'
import type { Logins } from './logins.ts'
import { mcpRoute } from './mcp-route.ts'
import { nameRoutes } from './name-routes.ts'
import { pauseRoutes } from './pause-routes.ts'
import { presenceRoutes } from './presence-routes.ts'
import { proofRoutes } from './proof-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { workRoutes } from './work-routes.ts'

interface RouteParts {
  baton: Baton
  version: string
  logins: Logins
  mayAnswer: MayAnswer
  url(): string
  cookieName(): string
}

/** What each module adds to the daemon's API. */
export const daemonRoutes = ({ baton, version, logins, mayAnswer, url, cookieName }: RouteParts): Hono[] => [
  askRoutes(baton.asks, mayAnswer, () => baton.fleet.asks()),
  presenceRoutes(baton.presence, mayAnswer),
  cycleRoutes(baton),
  claimRoutes(baton, mayAnswer),
  fleetRoutes(baton.fleet),
  sessionRoutes(baton.sessions, baton.fleet),
  nameRoutes(baton),
  pauseRoutes({
    ...baton,
    notePause: (what, pause) =>
      baton.note({ kind: 'daemon', what, version, pid: process.pid, detail: pausedPlace(pause) }),
  }),
  hostedRoutes(baton.intake, baton.dashboard.talks, name => baton.contained?.callerOf(name)),
  containedRoutes(baton.contained),
  workRoutes(baton.work),
  ...(baton.proofs ? [proofRoutes(baton.proofs, baton.acceptRun, mayAnswer)] : []),
  mcpRoute(baton.work),
  editorRoutes({ ...baton, mayAnswer }),
  conversationRoutes(baton.dashboard.conversations, mayAnswer),
  dashboardRoutes({
    ...baton,
    logins,
    mayAnswer,
    url,
    cookieName,
    now: baton.clock.now,
    home: homedir(),
  }),
]

/** Where a pause applies, for the journal. */
const pausedPlace = (pause: Pause): string =>
  pause.scope === 'machine'
    ? 'machine'
    : pause.scope === 'project'
      ? `project ${pause.project}`
      : `session ${pause.nativeSession}`
