import { homedir } from 'node:os'
import { BatonError } from '@batonpass/contract/errors'
import * as vscode from 'vscode'
import { askPerson, lookAndAnswer } from './ask/answer.ts'
import { plain, wholeText } from './ask/ask-text.ts'
import { Notifier, type NotifyWhich } from './ask/notify.ts'
import { OpenAsks } from './ask/open-asks.ts'
import { changeMode } from './command/change-mode.ts'
import { handOff } from './command/hand-off.ts'
import { letEditorAnswer } from './command/let-editor-answer.ts'
import { newWorkflow } from './command/new-workflow.ts'
import { startDaemon } from './command/start-daemon.ts'
import { isWorkNode, workStatus } from './command/work-status.ts'
import { daemonClient } from './daemon/client.ts'
import { EditorLogin } from './daemon/editor-login.ts'
import { findEndpoint, ShortPaths } from './daemon/endpoint.ts'
import { Live, sentence, workIn } from './daemon/live.ts'
import { folders } from './folders.ts'
import { registerTools } from './tool/tools.ts'
import { Pages } from './view/pages.ts'
import { statusBarText } from './view/status-bar-text.ts'
import { askTree, newestFirst, sessionTree, workTree } from './view/trees.ts'

/** Everything this extension shows comes from the daemon, and everything it does goes through the daemon. */
export function activate(context: vscode.ExtensionContext): void {
  const shortPaths = new ShortPaths()
  const login = new EditorLogin(context.secrets)
  const daemon = daemonClient(() => findEndpoint(environment(), homedir(), shortPaths), login)
  const pages = new Pages()
  const openAsks = new OpenAsks()
  const asking = {
    daemon,
    show: (ask: Parameters<typeof wholeText>[0]) => pages.show(ask.id, wholeText(ask)),
    whileOpen: openAsks.whileOpen.bind(openAsks),
    // The daemon counts a window that may answer as a way to reach a person.
    onAllowed: () => live.reconnect(),
  }
  const views = { 'baton.asks': askTree(), 'baton.work': workTree(), 'baton.sessions': sessionTree() }
  const bar = vscode.window.createStatusBarItem('baton.status', vscode.StatusBarAlignment.Left, 10)
  bar.name = 'Baton'
  bar.command = 'baton.open'
  bar.show()

  const notifier = new Notifier()
  const live = new Live({
    daemon,
    window: () => ({ notify: notify(), folders: folders() }),
    pause,
    changed(picture) {
      for (const view of Object.values(views)) view.show(picture)
      const { text, tooltip, urgency } = statusBarText(picture, folders())
      bar.text = text
      bar.tooltip = tooltip
      bar.backgroundColor =
        urgency === 'none' ? undefined : new vscode.ThemeColor(`statusBarItem.${urgency}Background`)
      void vscode.commands.executeCommand('setContext', 'baton.daemon', picture.daemon)
      // Without a daemon there is no list. Keep the notifier's memory, so that it repeats nothing when the daemon is back.
      if (picture.daemon !== 'running') return
      openAsks.update(picture.asks)
      const { fresh, more } = notifier.next(picture.asks, notify(), folders())
      for (const ask of fresh) void askPerson(ask, asking)
      if (more > 0) void notifyOfMore(more)
    },
  })

  const sessionOf = (given: unknown) =>
    live.picture.sessions.find(({ id }) => id === (hasId(given) ? given.id : undefined))
  const commands: Record<string, (given?: unknown) => unknown> = {
    'paw.newWorkflow': () => newWorkflow(daemon).finally(() => live.refresh()),
    'paw.getWorkStatus': given =>
      workStatus(
        {
          daemon,
          items: async () => newestFirst(await Promise.all(folders().map(folder => workIn(daemon, folder)))),
          show: (name, text) => pages.show(name, text),
        },
        given,
      ),
    'paw.changeMode': async given => {
      if (isWorkNode(given)) await changeMode(daemon, given).finally(() => live.refresh())
    },
    'baton.open': () =>
      vscode.commands.executeCommand(live.picture.daemon === 'absent' ? 'baton.start' : 'baton.asks.focus'),
    'baton.start': async () => {
      await startDaemon(setting('command', 'baton'), environment())
      live.reconnect()
    },
    'baton.letEditorAnswer': async () => {
      if (await letEditorAnswer(daemon)) live.reconnect()
    },
    'baton.refresh': () => live.refresh(),
    // The argument only names the question; every answer is the user's own click.
    'baton.lookAtAsk': async given => {
      const ask = live.picture.asks.find(({ id }) => id === (hasId(given) ? given.id : given))
      if (ask) await lookAndAnswer(ask, asking)
      else void vscode.window.showInformationMessage('This question is no longer open.')
    },
    'baton.handOff': async given => {
      const session = sessionOf(given)
      if (session) await handOff(daemon, session)
    },
    'baton.copySession': async given => {
      const session = sessionOf(given)
      if (session) await vscode.env.clipboard.writeText(session.nativeSession)
    },
  }

  // The user may edit these files by hand, which the journal does not record.
  const files = vscode.workspace.createFileSystemWatcher('**/.paw/work/*/*.md')
  context.subscriptions.push(
    files,
    ...[files.onDidChange, files.onDidCreate, files.onDidDelete].map(on => on(() => live.refresh())),
    shortPaths,
    openAsks,
    live,
    bar,
    pages.register(),
    registerTools(daemon),
    vscode.workspace.onDidChangeWorkspaceFolders(() => live.reconnect()),
    vscode.workspace.onDidChangeConfiguration(change => {
      if (change.affectsConfiguration('baton')) live.reconnect()
    }),
    ...Object.entries(views).map(([id, view]) => vscode.window.registerTreeDataProvider<unknown>(id, view)),
    ...Object.entries(commands).map(([id, run]) => vscode.commands.registerCommand(id, reportingErrors(run))),
  )
  void live.run()
}

/** Shows why a command failed in one sentence; VS Code's own message would show a stack trace. */
const reportingErrors = (run: (given?: unknown) => unknown) => async (given?: unknown) => {
  try {
    return await run(given)
  } catch (cause) {
    void showFailure(cause)
    return undefined
  }
}

async function showFailure(cause: unknown): Promise<void> {
  const start = 'Start the Daemon'
  const absent = cause instanceof BatonError && cause.code === 'daemon_absent'
  const chosen = await vscode.window.showErrorMessage(plain(sentence(cause)), ...(absent ? [start] : []))
  if (chosen === start) await vscode.commands.executeCommand('baton.start')
}

async function notifyOfMore(count: number): Promise<void> {
  const show = 'Show Them'
  const message = `${count} more open ${count === 1 ? 'question' : 'questions'}.`
  if ((await vscode.window.showWarningMessage(message, show)) === show)
    await vscode.commands.executeCommand('baton.asks.focus')
}

/** The host's environment, plus BATON_HOME from the settings: an editor started from a menu has not read the user's shell profile. */
function environment(): NodeJS.ProcessEnv {
  const home = setting('home', '')
  return home === '' ? process.env : { ...process.env, BATON_HOME: home }
}

const notify = () => setting<NotifyWhich>('notifications', 'all')

const setting = <T extends string>(name: string, otherwise: T): T =>
  vscode.workspace.getConfiguration('baton').get<T>(name) ?? otherwise

const hasId = (given: unknown): given is { id: string } =>
  typeof given === 'object' && given !== null && 'id' in given && typeof given.id === 'string'

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
