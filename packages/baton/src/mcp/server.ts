import { BatonError } from '@batonpass/contract/errors'
import type { ToolAnswer } from '@batonpass/contract/work'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { VERSION } from '../version.ts'
import { TOOLS } from '../work/packs/paw/tools.ts'

/** Runs a tool for this server's caller. */
export type CallTool = (
  name: string,
  args: Readonly<Record<string, unknown>>,
) => Promise<Pick<ToolAnswer, 'text'>>

/** The MCP server with Baton's tools, for any transport. The model receives a failure with its remedy. */
export function mcpServer(call: CallTool): Server {
  const server = new Server(
    { name: 'baton', title: 'Baton', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ name, title, description, input }) => ({
      name,
      title,
      description,
      inputSchema: inputOf(input),
      annotations: {
        title,
        readOnlyHint: READS.includes(name),
        destructiveHint: false,
        openWorldHint: false,
      },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      const { text } = await call(params.name, params.arguments ?? {})
      return { content: [{ type: 'text', text }] }
    } catch (cause) {
      const { message, remedy } =
        cause instanceof BatonError
          ? cause
          : new BatonError('internal', 'Baton failed to handle this call. See `baton logs`')
      const text = remedy ? `${message}. ${remedy}` : message
      return { content: [{ type: 'text', text }], isError: true }
    }
  })
  return server
}

const READS = ['paw_get_context', 'baton_status', 'baton_recall']

const INSTRUCTIONS =
  'Staged work (specification, research, plan, implementation, review, documentation, pull request) lives in .paw/work/<Work ID>. Call paw_get_context first in a stage, paw_call_agent to hand over to the next one, baton_status to report the status of the work. A session that began with a handoff document calls baton_recall for a section that the document only points to.'

/** The JSON Schema that MCP requires: an object, without `$schema`. */
function inputOf(input: z.ZodObject): { type: 'object'; [key: string]: unknown } {
  const { $schema, additionalProperties, ...schema } = z.toJSONSchema(input)
  return { ...schema, type: 'object' }
}
