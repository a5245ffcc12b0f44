import { execFile } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withOnlyDescriptors } from '../../src/adapters/bubblewrap/box.ts'
import { endOf, type SandboxWorld, sandboxWorld } from '../world/sandbox.ts'
import { scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

const run = promisify(execFile)

describe('a command in the box', () => {
  let world: SandboxWorld
  const box = () => join(world.state, 'sandbox/box')
  const prepare = async (text: string) => {
    const { path } = world.project
    const made = await world.session.prepare({
      shell: 'bash',
      text,
      worktree: path,
      cwd: path,
      path: process.env.PATH ?? '',
    })
    if (!made.ok) throw new Error(made.reason)
    return made.prepared
  }
  const callBox = (...args: string[]) =>
    run(box(), args).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        code: error.code,
        stdout: error.stdout,
        stderr: error.stderr,
      }),
    )

  beforeAll(async () => {
    world = await sandboxWorld()
  })
  afterAll(async () => world?.[Symbol.asyncDispose]())

  it('is not cut short by another session that starts at the same moment', async () => {
    // What runs reads this file. An earlier release wrote it, so the new session has to replace it.
    const before = readFileSync(box())
    writeFileSync(box(), '# an earlier release\n')
    const running = openSync(box(), 'r')
    const other = await world.open('ses_other')
    expect(readFileSync(running, 'utf8')).toBe('# an earlier release\n')
    closeSync(running)
    expect(readFileSync(box())).toEqual(before)
    const { ino } = statSync(box())
    await other.end()
    await (await world.open('ses_third')).end()
    expect(statSync(box()).ino).toBe(ino)
    expect(
      readdirSync(join(world.state, 'sandbox')).filter(name => /^(?:box|system-calls)/.test(name)),
    ).toEqual(['box', 'system-calls'])
  })

  it('keeps the folder it changed to, and only after success', async () => {
    const { path } = world.project
    expect((await world.run('mkdir -p "sub folder" && cd "sub folder"')).folder).toBe(`${path}/sub folder`)
    expect((await world.run('cd "sub folder"; exit 0')).folder).toBe(`${path}/sub folder`)
    expect((await world.run('cd "sub folder"; false')).folder).toBe(path)
    expect((await world.run('pwd', { cwd: join(path, 'sub folder') })).stdout).toBe(`${path}/sub folder\n`)
  })

  it('stays where it was after a folder that exists only inside, and says nothing', async () => {
    for (const shell of ['bash', 'sh'] as const) {
      const { code, stderr, folder } = await world.run('cd "$(mktemp -d)" && touch x', { shell })
      expect({ code, stderr, folder }).toEqual({ code: 0, stderr: '', folder: world.project.path })
    }
  })

  it('knows the functions and aliases of the agent’s shell, however long they are', async () => {
    const long = 'eval "long() { : $(head -c 200000 /dev/zero | tr "\\0" x); echo long; }"'
    const before = `shopt -s expand_aliases; greet() { echo "hello $1"; }; alias hey='echo hey'\n${long}`
    const { stdout, stderr } = await world.run('greet "$(printf wörld)"; hey you; long', { before })
    expect({ stdout, stderr }).toEqual({ stdout: 'hello wörld\nhey you\nlong\n', stderr: '' })
  })

  it.each([
    ['true', 0],
    ['exit 3', 3],
    ['(exit 6)', 6],
    ['kill -SEGV $$', 139],
    ['no-such-program-here', 127],
    ['if then', 2],
  ])('passes the exit code of %s on', async (command, code) => {
    expect((await world.run(command)).code).toBe(code)
  })

  it('passes standard input, pipes, here-documents, quotes and other alphabets on', async () => {
    const command = `cat | tr a-z A-Z; cat <<'EOF'\n$HOME "quoted" 'single' \\ ünï 日本\nEOF\necho "$((1+1))" 'a"b' | sed s/a/b/`
    expect((await world.run(command, { input: 'grüße\n' })).stdout).toBe(
      `GRüßE\n$HOME "quoted" 'single' \\ ünï 日本\n2 b"b\n`,
    )
  })

  it('passes large output on', async () => {
    const { stdout } = await world.run('head -c 3000000 /dev/zero | tr "\\0" x; echo; echo end')
    expect([stdout.length, stdout.endsWith('x\nend\n')]).toEqual([3_000_005, true])
  })

  it('shows the user’s own id, no capability and no file of its own', async () => {
    const { stdout } = await world.run('id -u; grep CapEff /proc/self/status; ls /proc/self/fd | wc -l')
    expect(stdout).toBe(`${process.getuid?.()}\nCapEff:\t0000000000000000\n4\n`)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'ends with all its processes on %s to its group',
    async signal => {
      const child = await world.start('(echo started > started.txt; sleep 1234) | cat')
      const ended = endOf(child)
      const file = join(world.project.path, 'started.txt')
      await until(() => existsSync(file), { what: 'the start of the command' })
      rmSync(file)
      process.kill(-(child.pid ?? 0), signal)
      await ended
      await until(async () => !(await world.session.hasProcesses()), { what: 'the end of all processes' })
    },
  )

  it('runs once', async () => {
    const { id } = await prepare('echo ran >> once.txt')
    const ends = await Promise.all([1, 2, 3, 4].map(() => callBox(id)))
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 126, 126, 126])
    expect(readFileSync(join(world.project.path, 'once.txt'), 'utf8')).toBe('ran\n')
    expect((await callBox(id)).stderr).toBe('baton: This command ran already.\n')
  })

  it('does not run after it was discarded', async () => {
    const { id } = await prepare('echo ran > discarded.txt')
    await world.session.discard(id)
    expect((await callBox(id)).code).toBe(126)
    expect(existsSync(join(world.project.path, 'discarded.txt'))).toBe(false)
  })

  it('takes an id and nothing else', async () => {
    const { id } = await prepare('true')
    for (const args of [
      [],
      [''],
      ['..'],
      ['../requests'],
      [`${id}/../${id}`],
      [id, '--share-net'],
      ['--help'],
      ['x'.repeat(40)],
    ])
      expect((await callBox(...args)).code).toBe(126)
    expect((await callBox(id)).code).toBe(0)
  })

  it('is short enough to read in a terminal, and hides nothing in itself', async () => {
    const { id, text } = await prepare('echo "secret text of the command"')
    const folder = `${world.state}/sandbox/requests/${id}/folder`
    expect(text).toBe(
      `'${box()}' ${id} 4< <(declare -f; alias -p) && { IFS= read -r -d '' -n 4096 BATON_FOLDER; cd -- "\${BATON_FOLDER:-.}" 2>/dev/null || :; } <'${folder}'`,
    )
    await world.session.discard(id)
  })

  it('runs sh commands with sh', async () => {
    const end = await world.run('cd /tmp; echo "$0"; exit 4', { shell: 'sh' })
    expect([end.stdout, end.code]).toEqual(['/bin/sh\n', 4])
  })

  it('leaves no request behind', async () => {
    const requests = () => readdirSync(join(world.state, 'sandbox/requests')).length
    const before = requests()
    await world.run('true')
    expect(requests()).toBe(before)
    await world.session.end()
    expect(requests()).toBe(0)
  })
})

it('the shell that starts the sandbox runs no start-up file of the user, although its input is a socket', async () => {
  await using home = scratch()
  const mark = join(home.path, 'mark')
  writeFileSync(join(home.path, '.bashrc'), `echo ran > ${mark}\n`)
  const env = { HOME: home.path, PATH: process.env.PATH }
  const start = ([program = '', ...args]: readonly string[]) =>
    run(program, args, { env }).then(({ stdout }) => stdout)
  // Bash takes the socket for a remote login, as this shows.
  await start(['/bin/bash', '-p', '-c', 'true'])
  expect(existsSync(mark)).toBe(true)
  rmSync(mark)
  expect(await start(withOnlyDescriptors('/bin/bash', [], ['/bin/echo', 'hi']))).toBe('hi\n')
  expect(existsSync(mark)).toBe(false)
})
