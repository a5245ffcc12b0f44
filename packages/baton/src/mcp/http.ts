import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { type CallTool, mcpServer } from './server.ts'

/** Answers one request of an MCP client over HTTP. Keeps no state between requests. */
export async function answerMcp(request: Request, call: CallTool): Promise<Response> {
  const server = mcpServer(call)
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: 256 * 1024,
  })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request)
  } finally {
    await server.close()
  }
}
