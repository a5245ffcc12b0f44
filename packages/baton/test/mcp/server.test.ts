import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { describe, expect, it } from 'vitest'
import { TOOLS } from '../../src/work/packs/paw/tools.ts'
import { type BatonHere, batonIn } from '../world/baton.ts'
import { gitRepo } from '../world/scratch.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

async function begun() {
  const repo = await gitRepo()
  const baton = batonIn(join(repo.path, '../home'), repo.path)
  await baton.must('work', 'new', 'Auth System')
  return {
    repo,
    baton,
    async [Symbol.asyncDispose]() {
      await baton[Symbol.asyncDispose]()
      await repo[Symbol.asyncDispose]()
    },
  }
}

const overStreams = (baton: BatonHere, cwd: string): Transport =>
  new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp'],
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: baton.home },
    stderr: 'ignore',
  })

async function overHttp(baton: BatonHere): Promise<Transport> {
  const { url, keyFile } = JSON.parse(await baton.must('mcp', '--http', '--json')) as {
    url: string
    keyFile: string
  }
  const key = readFileSync(keyFile, 'utf8').trim()
  // The library's own types disagree under exactOptionalPropertyTypes.
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  }) as Transport
}

/** What every tool answers to a good and to a bad call, whatever carries the messages. */
async function exercise(transport: Transport, shown: string): Promise<void> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  try {
    expect(client.getServerVersion()).toMatchObject({ name: 'baton' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
    const called = async (name: string, args: Record<string, unknown>) => {
      const { content, isError } = await client.callTool({ name, arguments: args })
      const [first] = content as { type: string; text: string }[]
      return { text: first?.text ?? '', isError: isError === true }
    }
    expect(await called('baton_status', {})).toEqual({ text: shown, isError: false })
    expect((await called('paw_get_context', { work_id: 'auth-system' })).text).toContain(
      'Work Title: Auth System',
    )
    const prompt = {
      work_id: 'auth-system',
      template_key: '03A-implement',
      filename: '03A-implement-phase3.prompt.md',
    }
    expect(await called('paw_generate_prompt', prompt)).toEqual({
      text: '.paw/work/auth-system/prompts/03A-implement-phase3.prompt.md',
      isError: false,
    })
    expect(await called('paw_call_agent', { target_agent: 'PAW-05 PR', work_id: '' })).toEqual({
      text: expect.stringMatching(/^Work ID cannot be empty\. /),
      isError: true,
    })
    expect(await called('paw_generate_prompt', { ...prompt, template_key: 'x' })).toMatchObject({
      text: expect.stringMatching(/^Unknown template_key 'x'\. Use one of 01A-spec, /),
      isError: true,
    })
    expect(await called('baton_handoff', {})).toMatchObject({ isError: true })
    expect(await called('baton_recall', { section: 'decisions' })).toMatchObject({
      text: 'There are not enough documents here. See `baton handoff list`.',
      isError: true,
    })
    expect(await called('nothing', {})).toMatchObject({ isError: true })
  } finally {
    await client.close()
  }
}

describe('the MCP server, with the official client', () => {
  it('serves the tools on standard streams, and `baton work show` says the same', {
    timeout: 120_000,
  }, async () => {
    await using world = await begun()
    await exercise(overStreams(world.baton, world.repo.path), await world.baton.must('work', 'show'))
  })

  it('serves the same over HTTP, by a key that opens nothing else', { timeout: 240_000 }, async () => {
    await using world = await begun()
    const shown = await world.baton.must('work', 'show')
    await exercise(await overHttp(world.baton), shown)
    const { url, keyFile } = JSON.parse(await world.baton.must('mcp', '--http', '--json')) as Record<
      string,
      string
    >
    const authorization = `Bearer ${readFileSync(keyFile ?? '', 'utf8').trim()}`
    const other = new URL('/api/asks', url)
    expect((await fetch(other, { headers: { authorization } })).status).toBe(401)
    expect((await fetch(url ?? '', { method: 'POST' })).status).toBe(401)
    const foreign = { authorization, origin: 'http://example.com' }
    expect((await fetch(url ?? '', { method: 'POST', headers: foreign })).status).toBe(403)
  })
})
