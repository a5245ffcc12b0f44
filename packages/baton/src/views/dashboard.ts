import type { Ask } from '@batonpass/contract/ask'
import type {
  AskView,
  Found,
  History,
  ModelUsageView,
  Overview,
  ScreenView,
  SearchQuery,
  SessionView,
  SettingChange,
  SettingChanged,
  SettingsView,
} from '@batonpass/contract/dashboard'
import type { EntryBody } from '@batonpass/contract/journal'
import type { Recap } from '@batonpass/contract/recap'
import { systemGit } from '../adapters/git/git.ts'
import type { Asks } from '../ask/asks.ts'
import { HostedConversations } from '../chat/hosted-conversations.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import type { Environment } from '../config/places.ts'
import { problemLine } from '../config/problem.ts'
import type { Redactor } from '../journal/redact.ts'
import { searchJournal } from '../journal/search.ts'
import { Tally } from '../journal/tally.ts'
import type { Clock } from '../ports/clock.ts'
import type { Driver } from '../ports/driver.ts'
import type { Store } from '../ports/store.ts'
import type { Undo } from '../undo/undo.ts'
import { askViews } from './ask-view.ts'
import { type Conversations, composeConversations } from './conversations.ts'
import { readHistory, readModelUsage } from './history.ts'
import { Recaps } from './recap.ts'
import { SessionViews } from './session-views.ts'
import { changeSetting, settingRows } from './settings.ts'
import { type UndoView, undoView } from './undo-view.ts'

export interface DashboardParts {
  store: Store
  asks: Asks
  config: ConfigKeeper
  redactor: Redactor
  note(body: EntryBody): Promise<void>
  clock: Clock
  env: Environment
  home: string
  stateDir: string
  driverAt(place: string): Driver | undefined
  undo: Undo
}

/** What the dashboard's pages read; only `undo` and `changeSetting` change anything. */
export interface Dashboard {
  overview(ended: number): Promise<Overview>
  session(id: string): Promise<SessionView>
  screen(id: string): Promise<ScreenView>
  ask(ask: Ask): Promise<AskView>
  history(hours: number): Promise<History>
  /** The last 24 hours. */
  modelUsage(): Promise<ModelUsageView>
  search(query: SearchQuery): Promise<Found>
  settings(project: string | undefined): Promise<SettingsView>
  /** Changes the user's own settings file. */
  changeSetting(change: SettingChange): Promise<SettingChanged>
  /** Without `since`: since the person went away. */
  recap(since: string | undefined): Promise<Recap>
  /** Folders that sessions worked in, newest first. A page may ask only about these. */
  projects(): Promise<string[]>
  undo: UndoView
  conversations: Conversations
  /** Conversations that other Baton programs report about the agents they host. */
  talks: HostedConversations
}

export function composeDashboard(parts: DashboardParts): Dashboard {
  const { store, asks, config, clock, redactor } = parts
  const tally = new Tally()
  const sessions = new SessionViews({ ...parts, tally })
  const recaps = new Recaps({ store, asks, clock, git: systemGit })
  const talks = new HostedConversations()

  const listProjects = async (): Promise<string[]> => {
    const sessions = await store.sessions({ limit: 1000 })
    return [...new Set(sessions.flatMap(each => each.project ?? []))].slice(0, 100)
  }

  return {
    projects: listProjects,
    recap: since => recaps.make(since),
    undo: undoView(parts.undo, redactor),
    talks,
    conversations: composeConversations({ ...parts, talks }),
    overview: ended => sessions.overview(ended),
    session: id => sessions.session(id),
    ask: askViews(parts),
    history: hours => readHistory(hours, { store, clock, tally }),
    modelUsage: () => readModelUsage({ store, clock, tally }),
    changeSetting: change => changeSetting(change, parts),
    search: query => searchJournal(query, store, clock),

    async screen(id) {
      const { pane, agent, endedAt } = await sessions.find(id)
      const driver = pane === undefined ? undefined : parts.driverAt(pane)
      // Another session may now use its terminal.
      if (endedAt !== undefined) return { state: 'gone', lines: [] }
      if (pane === undefined || !driver) return { state: 'none', lines: [] }
      const { state, lines } = await driver.readScreen(pane, agent)
      return { state, lines: lines.slice(-200).map(line => redactor.text(line)) }
    },

    async settings(project) {
      const projects = await listProjects()
      const here = project !== undefined && projects.includes(project) ? project : undefined
      const loaded = await config.get(here)
      return {
        ...(here ? { project: here } : {}),
        projects,
        rows: await settingRows(loaded, parts),
        files: loaded.files.map(({ path, standing }) => ({ path, standing })),
        problems: loaded.problems.map(problemLine),
      }
    },
  }
}
