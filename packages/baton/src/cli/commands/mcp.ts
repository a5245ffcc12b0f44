import { ToolAnswer } from '@batonpass/contract/work'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { findWorktreeRoot } from '../../config/project.ts'
import { openStateFolder } from '../../config/state-folder.ts'
import { secretFile } from '../../daemon/secret-file.ts'
import { type CallTool, mcpServer } from '../../mcp/server.ts'
import { callTool } from '../../work/packs/paw/tools.ts'
import { Stages } from '../../work/stages/stages.ts'
import { EXIT, flag, type Handler, text } from '../command.ts'
import { callDaemon, ensureDaemon, folderOf } from '../daemon.ts'
import type { Io } from '../io.ts'
import { workHere } from '../local-work.ts'

/** Serves Baton's tools to an agent on standard input and output, or says how to reach them over HTTP. */
export const mcp: Handler = async (given, io) => {
  const project = findWorktreeRoot(text(given, 'project') ?? io.cwd)
  if (flag(given, 'http')) return address(io, project, flag(given, 'json'))
  const server = mcpServer(caller(io, project))
  const ended = new Promise<void>(resolve => {
    server.onclose = resolve
    io.stdin.once('end', resolve)
    io.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await server.connect(new StdioServerTransport())
  await ended
  await server.close()
  return EXIT.ok
}

/** The daemon runs the tools, because it knows the sessions; where none can be, they run here as far as they can. */
function caller(io: Io, project: string): CallTool {
  const folder = folderOf(io)
  const ready = async () => (await ensureDaemon(folder, io).catch(() => undefined)) !== undefined
  return async (name, args) => {
    if (!(await ready())) {
      const ports = workHere(io)
      return callTool(new Stages(ports), ports, name, args, { project })
    }
    const path = `/api/tools/${encodeURIComponent(name)}`
    return ToolAnswer.parse(
      await callDaemon(folder, 'POST', path, CALL_MS, { body: { project, arguments: args } }),
    )
  }
}

const CALL_MS = 60_000

async function address(io: Io, project: string, json: boolean): Promise<number> {
  const folder = openStateFolder(folderOf(io).dir)
  const health = await ensureDaemon(folder, io)
  secretFile(folder.mcpKey)
  const url = `${health.url}/mcp?project=${encodeURIComponent(project)}`
  io.stdout.write(
    json
      ? `${JSON.stringify({ url, keyFile: folder.mcpKey })}\n`
      : `${url}\nwith the header  Authorization: Bearer <the key in ${folder.mcpKey}>\n`,
  )
  return EXIT.ok
}
