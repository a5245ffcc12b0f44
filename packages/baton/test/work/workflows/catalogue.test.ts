import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemFiles } from '../../../src/adapters/system/files.ts'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import { trust } from '../../../src/cli/commands/trust.ts'
import { readCatalogue } from '../../../src/work/workflows/catalogue.ts'
import { scratch } from '../../world/scratch.ts'

const text = '---\ngoal: A release is out.\npermissions: [gh release create]\n---\nGo on.\n'

it("The user's own workflows are used at once, a project's only while its trusted file is unchanged", async () => {
  await using home = scratch()
  await using project = scratch()
  home.write('.baton/workflows/mine.md', text)
  const file = project.write('.baton/workflows/theirs.md', text)
  const ports = {
    files: systemFiles,
    smallFiles: systemSmallFiles,
    env: {},
    home: home.path,
    stateDir: join(home.path, 'state'),
  }
  const read = () =>
    readCatalogue(project.path, { workflows: { configured: { goal: 'G', prompt: 'P' } } }, ports)
  const names = async () => (await read()).workflows.map(workflow => workflow.name).slice(4)

  expect(await names()).toEqual(['mine', 'configured'])
  expect((await read()).notices).toMatchObject([{ file, code: 'config_untrusted' }])
  let out = ''
  const write = (said: string) => {
    out += said
  }
  const io = {
    stdin: process.stdin,
    stdout: { write },
    stderr: { write },
    env: { BATON_HOME: ports.stateDir },
    cwd: project.path,
    home: home.path,
    isTTY: false,
    signal: new AbortController().signal,
  }
  await trust({ positionals: ['.baton/workflows/theirs.md'], options: {} }, io)
  expect(out).toContain('runs without a question: gh release create')
  expect(await names()).toEqual(['mine', 'theirs', 'configured'])
  project.write('.baton/workflows/theirs.md', `${text}And more.\n`)
  expect(await names()).toEqual(['mine', 'configured'])
})
