import { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codex } from '../world/agents/codex.ts'
import { installAgent } from '../world/agents/install.ts'
import { agentHome } from '../world/agents/real.ts'
import { startTerminal } from '../world/agents/tmux.ts'
import { batonIn } from '../world/baton.ts'
import { startModel, textOf } from '../world/model.ts'
import { startTelegram, telegramSettings } from '../world/telegram.ts'
import { call, say } from '../world/turn.ts'
import { until } from '../world/wait.ts'

const DIALOG = /Would you like to run the following command\?/

/** The model wants to leave Codex's sandbox, for which Codex itself asks. */
const unboxed = (command: string) =>
  call('exec_command', {
    cmd: command,
    sandbox_permissions: 'require_escalated',
    justification: 'It needs to.',
  })

test('Codex’s own dialog is answered for the person where Baton knows the answer, from afar, or stays for them', {
  timeout: 240_000,
}, async () => {
  await using model = await startModel([codex.dialect])
  await using telegram = await startTelegram()
  await using home = await agentHome(codex, model)
  await using baton = batonIn(home.path, home.project)
  baton.configure(
    `permission:\n  undecided: defer\npermissions:\n  allow:\n    - pattern: '^touch allowed\\.txt$'\n  ask:\n    - pattern: '^touch asked\\.txt$'\n${telegramSettings(telegram)}`,
  )
  await baton.must('init', '--agent', 'codex')
  // What a script does no rule can know: it runs in Baton's sandbox, which shows it another home folder.
  writeFileSync(join(home.project, 'unknown.sh'), `touch contained.txt\ntouch '${home.path}/escaped.txt'\n`)
  const left = join(home.project, '../left.txt')
  // It is there, so another file of that name in the sandbox would not do.
  writeFileSync(left, '')
  utimesSync(left, 1, 1)
  const commands = ['touch allowed.txt', 'touch asked.txt', 'touch ../left.txt']
  const turns = [
    call('exec_command', { cmd: 'git fetch' }),
    ...commands.map(unboxed),
    // Baton has to see once that this Codex runs what it is handed.
    unboxed('true'),
    unboxed('sh unknown.sh'),
    say('Tried them all.'),
  ]
  model.script({ key: home.key }, () => turns.shift())
  await using terminal = await startTerminal({
    command: [
      await installAgent('codex'),
      ...['--disable', 'daemon_auto_start', '--dangerously-bypass-hook-trust', '--', 'try them'],
    ],
    cwd: home.project,
    env: home.env(),
    evidence: () => `${model.summary()}\n${JSON.stringify(telegram.messages().map(({ text }) => text))}`,
  })
  const there = (file: string) => existsSync(join(home.project, file))
  await until(() => there('allowed.txt'), { what: 'what a rule allows', evidence: () => terminal.screen() })
  expect(await terminal.history()).not.toMatch(DIALOG)

  // Once for the command: after the yes it runs in Baton's sandbox, so nothing else is asked.
  const first = await telegram.message(({ text }) => text.includes('asked.txt'), 'the question')
  // Codex opens its dialog only when its hook has left the question to it.
  expect(await terminal.screen()).not.toMatch(DIALOG)
  telegram.press(first, '✅ Allow')
  await until(() => there('asked.txt'), { what: 'what a person allowed from afar' })

  await terminal.waitForScreen(DIALOG)
  expect(telegram.messages().filter(({ text }) => text.includes('asked.txt'))).toHaveLength(1)
  const isTouched = () => statSync(left).mtimeMs > 1000
  expect(isTouched()).toBe(false)
  // Codex ignores a key that comes with the first drawing of its dialog.
  await until(
    async () => {
      if (DIALOG.test(await terminal.screen())) await terminal.press('y')
      return await until(isTouched, { what: 'the call to run', timeout: 3_000 }).catch(() => undefined)
    },
    { what: 'what the person allowed in the dialog', evidence: () => terminal.screen() },
  )
  await terminal.waitForScreen(/Tried them all\./)

  expect(there('contained.txt')).toBe(true)
  expect(existsSync(join(home.path, 'escaped.txt'))).toBe(false)
  const seen = textOf(model.mainRequests({ key: home.key }).at(-1) ?? expect.fail())
  // Only what its sandbox cannot do; the model is told how it works.
  expect(seen.match(/has no network\. Run this command again with `sandbox_permissions/g)).toHaveLength(1)
  expect(seen).not.toContain('denied')
})
