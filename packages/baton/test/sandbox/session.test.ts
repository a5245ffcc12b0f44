import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endOf, type SandboxWorld, sandboxWorld, testSandbox } from '../world/sandbox.ts'
import { until } from '../world/wait.ts'

const SERVER = `require('http').createServer((q, r) => r.end('from inside')).listen(8123, '127.0.0.1')`
const FETCH = `curl -s --retry 40 --retry-connrefused --retry-delay 0 --retry-max-time 15 http://127.0.0.1:8123/`
const node = process.execPath

/** Names this run's processes, among those of other runs. */
const SECONDS = 100_000 + process.pid

describe('the sandbox of a session', () => {
  const withNode = (world: SandboxWorld) =>
    ({ env: { PATH: `${join(node, '..')}:${process.env.PATH}` }, world }).env

  it('lets a server that one call starts answer in the next, and nowhere else', async () => {
    await using world = await sandboxWorld()
    const env = withNode(world)
    writeFileSync(join(world.project.path, 'server.js'), SERVER)
    const started = await world.run('node server.js > log.txt 2>&1 & echo started', { env })
    expect(started.stdout).toBe('started\n')
    expect((await world.run(FETCH)).stdout).toBe('from inside')
    await expect(fetch('http://127.0.0.1:8123/')).rejects.toThrow()

    world.session = await world.open('ses_other')
    expect((await world.run('curl -s http://127.0.0.1:8123/')).code).toBe(7)
    expect((await world.run('ps ax -o args=')).stdout).not.toContain('server.js')
  })

  it('does not reach a server of the host', async () => {
    await using world = await sandboxWorld()
    const server = createServer(socket => socket.end('from outside')).listen(0, '127.0.0.1')
    await until(() => server.listening, { what: 'the server' })
    const { port } = server.address() as { port: number }
    const { code, stdout } = await world.run(`curl -s http://127.0.0.1:${port}/`)
    server.close()
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
  })

  it('keeps background commands until it ends, and collects those that ended', async () => {
    await using world = await sandboxWorld()
    await world.run(`sleep ${SECONDS} >&- 2>&- & (sleep 0.01 & ) ; true`)
    expect(await world.session.hasProcesses()).toBe(true)
    expect(
      (await world.run(`ps ax -o stat=,args= | grep -E "sleep (${SECONDS}|0.01)|defunct" | grep -v grep`))
        .stdout,
    ).toMatch(/^\S+ +sleep \d+\n$/)
    await world.run(`kill $(pgrep -x -f "sleep ${SECONDS}")`)
    await until(async () => !(await world.session.hasProcesses()), { what: 'the end of all processes' })
    await world.run(`sleep ${SECONDS} >&- 2>&- &`)
    await world.session.end()
    await until(() => processesNamed(`sleep ${SECONDS}`).length === 0, {
      what: `the end of sleep ${SECONDS}`,
    })
    expect(existsSync(join(world.state, 'sandbox/sessions/ses_test'))).toBe(false)
  })

  it('is taken over by the next daemon after a kill, with its background commands', async () => {
    await using world = await sandboxWorld()
    const child = spawn(
      node,
      [
        join(import.meta.dirname, 'killed-daemon.ts'),
        world.state,
        world.home,
        world.project.path,
        String(SECONDS),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await new Promise(resolve => child.stdout.once('data', resolve))
    child.kill('SIGKILL')
    await until(() => child.signalCode === 'SIGKILL', { what: 'the kill' })
    expect(processesNamed(`sleep ${SECONDS}`).length).toBe(1)

    const next = testSandbox(world.state)
    const taken = await next.open('ses_killed')
    expect(await taken.hasProcesses()).toBe(true)
    expect(await next.endAllExcept(new Set(['ses_killed']))).not.toContain('ses_killed')
    expect(processesNamed(`sleep ${SECONDS}`).length).toBe(1)
    expect(await next.endAllExcept(new Set())).toContain('ses_killed')
    expect(processesNamed(`sleep ${SECONDS}`)).toEqual([])
  })

  it('ends by itself when no daemon comes back', async () => {
    await using world = await sandboxWorld()
    const child = spawn(
      node,
      [
        join(import.meta.dirname, 'killed-daemon.ts'),
        world.state,
        world.home,
        world.project.path,
        'impatient',
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await new Promise(resolve => child.stdout.once('data', resolve))
    child.kill('SIGKILL')
    await until(() => processesNamed(`sleep ${SECONDS}`).length === 0, {
      what: `the end of sleep ${SECONDS}`,
    })
  })

  it('starts again if its holder was killed', async () => {
    await using world = await sandboxWorld()
    const { pid } = JSON.parse(readFileSync(findRecord(world), 'utf8')) as { pid: number }
    process.kill(pid, 'SIGKILL')
    await until(() => !existsSync(`/proc/${pid}`), { what: 'the end of the holder' })
    expect((await world.run('echo again')).stdout).toBe('again\n')
  })

  it('refuses a prepared command whose sandbox ended', async () => {
    await using world = await sandboxWorld()
    const { path } = world.project
    const made = await world.session.prepare({
      shell: 'bash',
      text: 'echo ran',
      worktree: path,
      cwd: path,
      path: '/usr/bin:/bin',
    })
    if (!made.ok) throw new Error(made.reason)
    const { pid } = JSON.parse(readFileSync(findRecord(world), 'utf8')) as { pid: number }
    process.kill(pid, 'SIGKILL')
    await until(() => !existsSync(`/proc/${pid}`), { what: 'the end of the holder' })
    const child = spawn('/bin/bash', ['-c', made.prepared.text], { stdio: ['ignore', 'pipe', 'pipe'] })
    const { code, stderr } = await endOf(child)
    expect({ code, stderr }).toEqual({
      code: 126,
      stderr: 'baton: The sandbox of this session ended. Run the command again.\n',
    })
  })
})

const findRecord = ({ state }: SandboxWorld): string => {
  const sessions = join(state, 'sandbox/sessions')
  const [name] = readdirSync(sessions)
  return join(sessions, name ?? '', 'holder.json')
}

/** The processes of this machine with this command line. */
function processesNamed(line: string): string[] {
  return readdirSync('/proc').filter(name => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === line
    } catch {
      return false
    }
  })
}
