// A real MCP server on stdio with one tool, which asks the person to fill in a form and returns what it got.
import { createInterface } from 'node:readline'

const tool = {
  name: 'sign_up',
  description: 'Signs somebody up',
  inputSchema: { type: 'object', properties: { list: { type: 'string' } } },
}
const form = {
  mode: 'form',
  message: 'Please sign up',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Your name', minLength: 2 },
      age: { type: 'integer', minimum: 0 },
      news: { type: 'boolean', title: 'Newsletter' },
      plan: { type: 'string', enum: ['free', 'pro'], enumNames: ['Free', 'Pro'] },
    },
    required: ['name', 'plan'],
  },
}
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'forms', version: '1' },
  }),
  'tools/list': () => ({ tools: [tool] }),
}
const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
let called

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params, result, error } = JSON.parse(line)
  if (id === undefined) return
  if (id === 'form')
    send({
      id: called,
      result: { content: [{ type: 'text', text: `got ${JSON.stringify(result ?? error)}` }] },
    })
  else if (method === 'tools/call') {
    called = id
    send({ id: 'form', method: 'elicitation/create', params: form })
  } else send({ id, result: answers[method]?.(params) ?? {} })
})
