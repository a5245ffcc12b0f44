import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Claimed } from '@batonpass/contract/claim'
import { expect, test } from 'vitest'
import { batonIn } from '../world/baton.ts'
import { callSocket, settingsFor } from '../world/claims.ts'
import { fakeGitHub } from '../world/github.ts'
import { postgres, query } from '../world/postgres.ts'
import { plainGit, scratch } from '../world/scratch.ts'

const run = promisify(execFile)
// All of it with BATON_LONG=1, in about two minutes; every run of CI has a smaller race.
const [AGENTS, ISSUES, DAEMONS] = process.env.BATON_LONG ? [200, 50, 4] : [60, 15, 4]

test(`${AGENTS} agents race for ${ISSUES} issues from four daemons over one PostgreSQL: each issue is held once`, {
  timeout: 500_000,
}, async () => {
  await using server = await postgres()
  await using github = await fakeGitHub()
  await using folder = scratch('bw-')
  const board = github.board({ owner: 'acme' })
  const issues: number[] = []
  for (let n = 0; n < ISSUES; n++) {
    const issue = await github.repository.issue({ title: `Task ${n}` })
    board.add(issue, { status: 'Todo' })
    issues.push(issue)
  }
  const url = await server.database()
  const first = join(folder.path, 'clone')
  await run('git', ['clone', '-q', github.repository.remote, first], { env: { ...process.env, ...plainGit } })
  await run('git', ['-C', first, 'config', 'user.email', 'dev@example.com'])
  const projects = Array.from({ length: AGENTS }, (_, n) => {
    const path = join(folder.path, `agent-${n}`)
    cpSync(first, path, { recursive: true })
    return path
  })
  const machines = Array.from({ length: DAEMONS }, (_, n) => {
    const here = batonIn(join(folder.path, `home-${n}`), first)
    here.configure(settingsFor(github, `store:\n  url: ${url}\n`))
    return here
  })
  try {
    await Promise.all(machines.map(here => here.must('up')))
    const claims = await Promise.all(
      projects.map(async (project, n) => {
        const machine = machines[n % DAEMONS]
        if (!machine) throw new Error('no machine')
        try {
          const body = { project, issue: 'next' }
          const { claim } = Claimed.parse(await callSocket(machine.stateDir, 'POST', '/api/claims', body))
          return { issue: claim.issue, project, why: '' }
        } catch (error) {
          return { issue: undefined, project, why: String(error) }
        }
      }),
    )
    const won = claims.flatMap(({ issue }) => issue ?? [])
    expect(won.toSorted((a, b) => a - b)).toEqual(issues)
    const lost = claims.filter(({ issue }) => issue === undefined)
    expect(lost).toHaveLength(AGENTS - ISSUES)
    for (const { why } of lost) expect(why).toContain('No issue is ready for an agent')
    const rows = await query(url, 'select issue, claim from baton.leases where claim is not null')
    expect(rows).toHaveLength(ISSUES)
    expect(new Set(rows.map(({ claim }) => claim)).size).toBe(ISSUES)
    for (const issue of issues) expect(board.of(issue)?.status).toBe('In Progress')
    github.assertClean()
  } finally {
    await Promise.all(machines.map(here => here[Symbol.asyncDispose]()))
  }
})
