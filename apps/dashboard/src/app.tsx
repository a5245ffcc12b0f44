import type { Health } from '@batonpass/contract/api'
import type { AskList } from '@batonpass/contract/ask'
import { pauseLine } from '@batonpass/contract/pause-line'
import type { ComponentChild } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { access, wasLoggedIn } from './api.ts'
import { useFleetAsks } from './asks.ts'
import { connection } from './live.ts'
import { AsksPage } from './pages/asks.tsx'
import { ClaimsPage } from './pages/claims.tsx'
import { FleetPage } from './pages/fleet.tsx'
import { HistoryPage } from './pages/history.tsx'
import { JournalPage } from './pages/journal.tsx'
import { OverviewPage } from './pages/overview.tsx'
import { RecapPage } from './pages/recap.tsx'
import { SessionPage } from './pages/session.tsx'
import { SettingsPage } from './pages/settings.tsx'
import { WorkPage } from './pages/work.tsx'
import { Icon, type IconName, Mark } from './parts/icons.tsx'
import { Keys } from './parts/keys.tsx'
import { useResource } from './resource.ts'
import { Link, route } from './router.tsx'
import { switchTheme, themeLabel } from './theme.ts'

const VIEWS: { name: IconName; path: string; title: string }[] = [
  { name: 'overview', path: '/', title: 'Overview' },
  { name: 'asks', path: '/asks', title: 'Asks' },
  { name: 'recap', path: '/recap', title: 'Recap' },
  { name: 'claims', path: '/claims', title: 'Claims' },
  { name: 'work', path: '/work', title: 'Work' },
  { name: 'fleet', path: '/fleet', title: 'Fleet' },
  { name: 'history', path: '/history', title: 'History' },
  { name: 'journal', path: '/journal', title: 'Journal' },
  { name: 'settings', path: '/settings', title: 'Settings' },
]

export function App({ refused }: { refused: string | undefined }) {
  if (access.value === 'out') return <Login refused={refused} />
  return <Frame />
}

/** How often the number next to Asks counts the questions of other machines. */
const ELSEWHERE_MS = 15_000

function Frame() {
  const health = useResource<Health>(
    '/api/health',
    ({ body }) => body.kind === 'daemon' || body.kind === 'config',
  )
  const { data } = useResource<AskList>('/api/asks', ({ body }) => body.kind === 'ask')
  const elsewhere = useFleetAsks(ELSEWHERE_MS)
  const open = (data?.asks.length ?? 0) + (elsewhere.data?.open.length ?? 0)
  const [first = 'overview'] = route.value
  const here = first === 'sessions' ? 'overview' : first
  return (
    <>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <div class="frame">
        <div class="side">
          <header class="brand">
            <Mark /> Baton
          </header>
          <nav class="nav" aria-label="Pages">
            {VIEWS.map(({ name, path, title }) => (
              <Link key={name} to={path} aria-current={name === here ? 'page' : undefined}>
                <Icon name={name} />
                {title}
                {name === 'asks' && open > 0 ? (
                  <span class="count">
                    {open}
                    <span class="hidden"> open</span>
                  </span>
                ) : null}
              </Link>
            ))}
          </nav>
          <footer>
            <div>
              <span class="link-state" data-state={connection.value}>
                {connection.value === 'live'
                  ? 'live'
                  : connection.value === 'lost'
                    ? 'reconnecting'
                    : 'connecting'}
              </span>
              <span>{health.data ? health.data.version : ''}</span>
            </div>
            <div>
              <button type="button" class="quiet" onClick={switchTheme}>
                {themeLabel()}
              </button>
              <Keys />
            </div>
          </footer>
        </div>
        <div class="main">
          {(health.data?.pauses ?? []).map(pause => (
            <p key={pauseLine(pause)} class="paused" role="status">
              {pauseLine(pause)}
            </p>
          ))}
          <View />
        </div>
      </div>
      <Announcer open={open} />
    </>
  )
}

function View(): ComponentChild {
  const [first, second, third] = route.value
  switch (first) {
    case 'asks':
      return <AsksPage />
    case 'sessions':
      return second ? <SessionPage key={second} id={second} tab={third} /> : <OverviewPage />
    case 'claims':
      return <ClaimsPage />
    case 'recap':
      return <RecapPage />
    case 'fleet':
      return <FleetPage />
    case 'work':
      return <WorkPage id={second} />
    case 'history':
      return <HistoryPage />
    case 'journal':
      return <JournalPage />
    case 'settings':
      return <SettingsPage />
    default:
      return <OverviewPage />
  }
}

/** Announces a new question to screen readers and counts open questions in the tab's title. */
function Announcer({ open }: { open: number }) {
  const before = useRef(open)
  const hasNew = open > before.current
  useEffect(() => {
    before.current = open
    document.title = `${open > 0 ? `(${open}) ` : ''}${document.title.replace(/^\(\d+\) /, '')}`
  })
  return (
    <p class="hidden" role="status" aria-live="assertive">
      {hasNew ? `${open} open question${open === 1 ? '' : 's'}` : ''}
    </p>
  )
}

function Login({ refused }: { refused: string | undefined }) {
  const ended = wasLoggedIn()
  return (
    <main class="login">
      <Mark />
      <h1>Baton</h1>
      {refused ? (
        <p class="notice" role="alert">
          {refused}
        </p>
      ) : null}
      {ended ? (
        <p role="alert">
          <b>Your login has ended.</b> It lasts 30 days, or until you log all browsers out.
        </p>
      ) : (
        <p>This browser is not logged in.</p>
      )}
      <p>In your own terminal, run</p>
      <pre>baton dashboard</pre>
      <p class="dim">
        and open the link it prints. It works once.
        {ended ? ' In this browser, it returns you to where you were.' : ''}
      </p>
    </main>
  )
}
