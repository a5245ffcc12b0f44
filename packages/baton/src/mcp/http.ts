import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { type CallTool, mcpServer } from './server.ts'

/** The request as Node's own class, which the library expects: the daemon's server has a lighter one. */
function wholeRequest({ url, method, headers, body }: Request): Request {
  return new Request(url, {
    method,
    headers: [...headers],
    ...(body ? { body, duplex: 'half' } : {}),
  })
}

/** Answers one request of an MCP client over HTTP. Keeps no state between requests. */
export async function answerMcp(given: Request, call: CallTool): Promise<Response> {
  const request = wholeRequest(given)
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
